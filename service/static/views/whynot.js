// Why a tool is not in the menu, and what would admit it.

import { latest, post, Problem } from "../parts/api.js";
import { bars } from "../parts/bars.js";
import { combo } from "../parts/combo.js";
import { announce, byId, h, nameOf, replace } from "../parts/dom.js";
import { hash } from "../parts/place.js";
import { TERMS } from "../parts/terms.js";
import { badge, title } from "../parts/tools.js";
import { complete } from "../parts/vocabulary.js";

const ask = latest();

/** Ask why and show it in the panel. */
export async function whyNot(panel, id, act) {
  replace(panel, title(nameOf(id), id, act), h("p", { class: "soft" }, "…"));
  let found;
  try {
    found = await ask((signal) =>
      post("v1/menus/why-not", { ...act.question(), tool: id }, signal),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    replace(
      panel,
      title(nameOf(id), id, act),
      h("p", { class: "problem" }, h("b", {}, error.message), " ", error.next),
    );
    return;
  }
  if (!found || !panel.dataset.shown.startsWith(`${id} `)) return; // another tool was chosen
  const ran = act.place().done.includes(found.tool);
  replace(
    panel,
    title(nameOf(found.tool), found.tool, act),
    h("p", { class: "badges" }, badge("absent", ran ? "ran already" : "not in this menu")),
    h(
      "ul",
      { class: "plain reasons" },
      found.reasons.map((reason) => h("li", {}, reason)),
    ),
    found.admitted_by.length
      ? [
          h("h3", {}, "It would be admitted by"),
          h(
            "ul",
            { class: "plain" },
            found.admitted_by.map((change) => remedy(change, act)),
          ),
        ]
      : null,
    Object.keys(found.terms).length
      ? [
          h("h3", {}, `Score ${sum(found.terms).toFixed(4)}`),
          bars(found.terms, TERMS),
          h("p", { class: "soft" }, `The last tool of the menu has ${found.cutoff.toFixed(4)}.`),
        ]
      : null,
    h(
      "div",
      { class: "actions" },
      h(
        "a",
        { class: "button", href: hash({ view: "browse", tool: found.tool }) },
        "Show in the graph",
      ),
    ),
  );
  announce(`${nameOf(found.tool)} is not in the menu. ${found.reasons.join(" ")}`);
}

const sum = (terms) => Object.values(terms).reduce((total, value) => total + value, 0);

/** What the command line would say, as a button where the page can do it. */
function remedy(change, act) {
  const size = /^-k (\d+)$/.exec(change);
  const field = /^--state (\S+)$/.exec(change);
  const button = (text, patch) =>
    h("li", {}, h("button", { type: "button", onclick: () => act.update(patch) }, text));
  if (size && Number(size[1]) <= 1000)
    return button(`Show ${size[1]} tools`, { k: Number(size[1]) });
  if (field)
    return button(`Add the field ${field[1]}`, { state: [...act.place().state, field[1]] });
  if (change === "leaving out --read-only")
    return button("Allow tools that change something", { readonly: false });
  if (change === "--allow-writes")
    return button("Let tools that change something make inputs", { writes: true });
  if (change === "leaving out --done for it") return button("Take back what ran", { done: [] });
  return h("li", {}, change);
}

/** The search for tools that may be absent. */
export function absent(place, act) {
  replace(
    place,
    combo({
      label: "Find a tool by name or text",
      placeholder: "a tool by name or text",
      search: (text, signal) => (text ? complete(text, ["tool"], signal) : []),
      choose: (id) => {
        act.choose(id);
        byId("why").focus();
      },
    }),
  );
}
