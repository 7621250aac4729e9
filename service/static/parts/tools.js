// One tool of a menu as a row: rank, role, what it needs and from whom, what it gives, how we know.

import { h } from "./dom.js";

/** In a word or two, the strongest evidence, as `spm menu` says it. */
export function evidence(item, menu) {
  const around = menu.edges.filter((edge) => edge.source === item.id || edge.target === item.id);
  const seen = Math.max(
    0,
    ...around.filter((edge) => edge.kind === "observed").map((edge) => edge.count),
  );
  if (seen) return `seen ${seen}×`;
  if (around.length) return "fields meet";
  const spoken = { vote: "traces", words: "words", similarity: "meaning" };
  const [best] = Object.keys(spoken).sort(
    (a, b) => (item.signals[b] || 0) - (item.signals[a] || 0),
  );
  return item.signals[best] > 0 ? spoken[best] : "score";
}

export function badge(kind, text = kind) {
  return h("span", { class: `badge ${kind}` }, text);
}

/** What a tool needs, as words: each field with whoever gives it. */
export function needs(item, act) {
  const known = Object.entries(item.needs);
  if (!known.length) return h("span", { class: "soft" }, "nothing");
  return known.map(([field, sources]) =>
    h(
      "span",
      { class: "need" },
      h("code", {}, field),
      h("span", { class: "soft" }, " from "),
      source(sources[0], act),
    ),
  );
}

function source(id, act) {
  if (!id) return h("span", { class: "ask" }, "the user");
  if (id === "request") return h("span", { class: "given" }, "the request");
  return h(
    "button",
    { type: "button", class: "inline", onclick: () => act.choose(id) },
    act.called(id),
  );
}

/** A list item; in front with all that it says, else on one line. */
export function row(item, menu, act, front) {
  const open = h(
    "button",
    {
      type: "button",
      class: "open",
      "aria-expanded": "false",
      "aria-controls": "why",
      onclick: () => act.choose(act.place().tool === item.id ? "" : item.id),
    },
    item.name,
  );
  const head = h(
    "div",
    { class: "head" },
    h("span", { class: "rank", "aria-hidden": "true" }, String(item.rank)),
    open,
    badge(item.role),
    item.effects === "destructive" ? badge("review", "destructive: approve first") : null,
    h("span", { class: "soft evidence" }, evidence(item, menu)),
    h(
      "button",
      {
        type: "button",
        class: "quiet did",
        "aria-label": `${item.name} ran: show the next menu`,
        onclick: () => act.done(item.id),
      },
      "Done ✓",
    ),
  );
  return h(
    "li",
    { class: `tool ${front ? item.role : "backup"}`, value: item.rank, "data-id": item.id },
    head,
    h("p", { class: "what" }, item.description || item.title),
    front
      ? h(
          "dl",
          { class: "flow" },
          h("dt", {}, "needs"),
          h("dd", {}, needs(item, act)),
          h("dt", {}, "gives"),
          h(
            "dd",
            {},
            item.gives.length
              ? item.gives.map((field) => h("code", {}, field))
              : h("span", { class: "soft" }, "nothing"),
          ),
        )
      : null,
  );
}

/** The head of a panel about a tool, with a way to close it. */
export function title(name, id, act) {
  const close = () => {
    act.choose("");
    document.querySelector(`#result .tool[data-id="${CSS.escape(id)}"] .open`)?.focus();
  };
  return [
    h(
      "button",
      { type: "button", class: "quiet close", "aria-label": "Close", onclick: close },
      "×",
    ),
    h("h2", { id: "why-title" }, name),
    h("p", { class: "soft id" }, id),
  ];
}
