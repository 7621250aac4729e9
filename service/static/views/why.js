// Why a tool is where it is: its score, what was seen of it, the edges around it, and the traces.

import { impact, latest, Problem } from "../parts/api.js";
import { bars } from "../parts/bars.js";
import { h, plural, replace } from "../parts/dom.js";
import { hash } from "../parts/place.js";
import { ORDER, SIGNALS, TERMS } from "../parts/terms.js";
import { badge, evidence, needs, title } from "../parts/tools.js";
import { whyNot } from "./whynot.js";

const ask = latest();
const SHOWN = 8;

/** Show the panel for a tool: why, or why not. */
export function show(panel, id, menu, act) {
  panel.classList.toggle("open", Boolean(menu && id));
  if (!menu || !id) panel.dataset.shown = "";
  if (!menu || !id)
    return replace(
      panel,
      h("h2", { id: "why-title" }, "Why"),
      h(
        "p",
        { class: "soft" },
        "Choose a tool of the route or of the backups to see what its place is made of.",
      ),
    );
  if (panel.dataset.shown === `${id} ${JSON.stringify(act.question())}`) return undefined;
  panel.dataset.shown = `${id} ${JSON.stringify(act.question())}`;
  const item = menu.items.find((one) => one.id === id);
  return item ? why(panel, item, menu, act) : whyNot(panel, id, act);
}

function why(panel, item, menu, act) {
  const traces = h("div", { class: "traces" }, h("p", { class: "soft" }, "…"));
  const order = Object.fromEntries(Object.entries(item.order).filter(([, value]) => value));
  replace(
    panel,
    title(item.name, item.id, act),
    h(
      "p",
      { class: "badges" },
      badge(item.role),
      badge(item.effects === "destructive" ? "review" : "effect", item.effects),
      badge("effect", evidence(item, menu)),
    ),
    h("p", {}, item.description || item.title),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", onclick: () => act.done(item.id) }, "It ran: next menu"),
      h(
        "a",
        { class: "button", href: hash({ view: "browse", tool: item.id }) },
        "Show in the graph",
      ),
    ),
    h("h3", {}, "Needs"),
    h("p", { class: "needs" }, needs(item, act)),
    h("h3", {}, `Score ${item.score.toFixed(3)}`),
    bars(item.terms, TERMS),
    Object.keys(order).length ? [h("h3", {}, "Its place in front"), bars(order, ORDER)] : null,
    Object.keys(item.signals).length
      ? [h("h3", {}, "What was seen of it"), bars(item.signals, SIGNALS)]
      : null,
    h("h3", {}, "Edges"),
    edges(item, menu, act),
    h("h3", {}, "Traces"),
    traces,
  );
  observed(traces, item.id);
}

function edges(item, menu, act) {
  const around = menu.edges
    .filter((edge) => edge.target === item.id || edge.source === item.id)
    .sort((a, b) => b.count - a.count || a.field.localeCompare(b.field));
  if (!around.length)
    return h("p", { class: "soft" }, "None: no field meets, and no transition was seen.");
  const line = (edge) => {
    const inward = edge.target === item.id;
    const other = inward ? edge.source : edge.target;
    const name = h(
      "button",
      { type: "button", class: "inline", onclick: () => act.choose(other) },
      act.called(other),
    );
    if (edge.kind === "observed")
      return h(
        "li",
        {},
        inward ? "after " : "before ",
        name,
        h("span", { class: "soft" }, `, seen ${edge.count}×`),
      );
    return h("li", {}, h("code", {}, edge.field), inward ? " from " : " to ", name);
  };
  const list = (some) => h("ul", { class: "plain" }, some.map(line));
  if (around.length <= SHOWN) return list(around);
  return [
    list(around.slice(0, SHOWN)),
    h("details", {}, h("summary", {}, `${around.length - SHOWN} more`), list(around.slice(SHOWN))),
  ];
}

async function observed(place, id) {
  try {
    const found = await ask((signal) => impact(id, signal));
    if (!found) return;
    const { trajectories, share, examples } = found.observed;
    replace(
      place,
      h(
        "p",
        {},
        trajectories
          ? `In ${plural(trajectories, "trace")}, ${(100 * share).toFixed(0)} % of all.`
          : "No imported trace used it.",
      ),
      h(
        "ul",
        { class: "plain quotes" },
        examples
          .slice(0, 5)
          .map((row) =>
            h(
              "li",
              {},
              row.request,
              row.success ? null : h("span", { class: "soft" }, " (failed)"),
            ),
          ),
      ),
      found.stopped.length
        ? h(
            "p",
            { class: "soft" },
            `Without it ${plural(found.stopped.length, "tool")} could no longer run.`,
          )
        : null,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    replace(place, h("p", { class: "soft" }, error.message));
  }
}
