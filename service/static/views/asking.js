// What is asked, as controls: the request, the visible fields as chips, what ran, the options.

import { combo } from "../parts/combo.js";
import { byId, h, nameOf, replace } from "../parts/dom.js";
import { complete } from "../parts/vocabulary.js";

const without = (list, name) => list.filter((item) => item !== name);

/** Wire the controls once. */
export function controls({ update, place }) {
  byId("q").addEventListener("input", () =>
    update({ q: byId("q").value, tool: "", done: [], without: [] }, { step: false }),
  );
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    update({ q: byId("q").value });
  });
  for (const id of ["k", "prefix"]) {
    byId(id).addEventListener("change", () => {
      const value = byId(id).valueAsNumber;
      update({
        [id]: Number.isInteger(value)
          ? Math.min(Math.max(value, 1), Number(byId(id).max))
          : place()[id],
      });
    });
  }
  for (const id of ["readonly", "writes"]) {
    byId(id).addEventListener("change", () => update({ [id]: byId(id).checked }));
  }
  replace(
    byId("add-field"),
    combo({
      label: "Add a visible field",
      placeholder: "+ add a field",
      search: (text, signal) => complete(text, ["field"], signal),
      free: true,
      choose: (name) => {
        const { state, without: denied } = place();
        update({ state: [...without(state, name), name], without: without(denied, name) });
      },
    }),
  );
}

/** Show a place in the controls. What is being typed is left alone. */
export function refresh(place, menu, { update }) {
  const q = byId("q");
  if (document.activeElement !== q && q.value !== place.q) q.value = place.q;
  byId("k").value = place.k;
  byId("prefix").value = place.prefix;
  byId("readonly").checked = place.readonly;
  byId("writes").checked = place.writes;
  byId("writes").disabled = place.readonly; // then nothing that writes is seen at all
  byId("done-row").hidden = !place.done.length;
  replace(
    byId("done"),
    place.done.map((id) =>
      chip(nameOf(id), "", "done", `Take back that ${nameOf(id)} ran`, () =>
        update({ done: without(place.done, id) }),
      ),
    ),
  );
  replace(byId("fields"), chips(place, menu, update));
}

function chips(place, menu, update) {
  const said = new Set(place.state);
  const read = (menu?.state ?? []).filter(
    (name) => !said.has(name) && !place.without.includes(name),
  );
  return [
    ...read.map((name) =>
      chip(name, "in the request", "read", `${name} is not in the request`, () =>
        update({ without: [...place.without, name] }),
      ),
    ),
    ...place.state.map((name) =>
      chip(name, "added", "added", `Remove ${name}`, () =>
        update({ state: without(place.state, name) }),
      ),
    ),
    ...place.without.map((name) =>
      chip(
        name,
        "taken out",
        "denied",
        `Put ${name} back`,
        () => update({ without: without(place.without, name) }),
        "↺",
      ),
    ),
    read.length || said.size || place.without.length
      ? null
      : h("li", { class: "soft" }, "none yet"),
  ];
}

function chip(name, note, kind, label, act, sign = "×") {
  return h(
    "li",
    { class: `chip ${kind}` },
    h("span", { class: "text" }, name),
    note ? h("span", { class: "soft" }, note) : null,
    h(
      "button",
      { type: "button", "aria-label": label, title: label, onclick: (event) => drop(event, act) },
      sign,
    ),
  );
}

/** Removing a chip removes the button that has the focus: give it to the next one. */
function drop(event, act) {
  const list = event.target.closest("ul, ol");
  const at = [...list.querySelectorAll("button")].indexOf(event.target);
  act();
  requestAnimationFrame(() => {
    const left = [...list.querySelectorAll("button")];
    (left[Math.min(at, left.length - 1)] || byId("add-field").querySelector("input")).focus();
  });
}
