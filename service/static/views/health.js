// The health view: what `spm atlas` finds in the whole registry, without any request.

import { get, Problem } from "../parts/api.js";
import { byId, h, nameOf, plural, replace } from "../parts/dom.js";
import { hash } from "../parts/place.js";

const SHOWN = 12;
let asked = false;

const tool = (id) => h("a", { href: hash({ view: "browse", tool: id }), title: id }, nameOf(id));
const field = (name) =>
  h("a", { href: hash({ view: "browse", field: name }) }, h("code", {}, name));
const list = (items, draw) => items.flatMap((item, i) => (i ? [", ", draw(item)] : [draw(item)]));

// What each list is, whether it is a fault or only worth knowing, and how a row of it reads.
const LISTS = [
  [
    "unreachable",
    "bad",
    "Tools that nobody can come to",
    "They wait for fields in a circle that no request enters.",
    (row) => [tool(row.tool), " waits for ", list(Object.keys(row.missing), field)],
  ],
  [
    "failing",
    "bad",
    "Tools whose calls fail often",
    "From a fifth of their calls on.",
    (row) => [
      tool(row.tool),
      `: ${row.errors} of ${row.calls} calls, ${(100 * row.share).toFixed(0)} %`,
    ],
  ],
  [
    "without_description",
    "bad",
    "Tools without a description",
    "Nobody finds them by meaning.",
    (row) => [tool(row)],
  ],
  [
    "single_producers",
    "warn",
    "Fields that stand on one tool",
    "When it goes, those who need the field stop.",
    (row) => [field(row.field), " only from ", tool(row.producer), `, needed by ${row.consumers}`],
  ],
  [
    "duplicates",
    "warn",
    "Tools that take and give the same",
    "One of them may be too many.",
    (row) => list(row, tool),
  ],
  [
    "asked",
    "note",
    "Fields that no tool makes",
    "Somebody has to say them.",
    (row) => [
      field(row.field),
      ` needed by ${plural(row.consumers, "tool")}: `,
      list(row.examples, tool),
    ],
  ],
  ["unused", "note", "Tools that no trace used", "", (row) => [tool(row)]],
  [
    "without_outputs",
    "note",
    "Tools that give nothing",
    "No route goes on from them.",
    (row) => [tool(row)],
  ],
];

export async function show() {
  if (asked) return;
  asked = true;
  const place = byId("health");
  const title = h("h1", { id: "health-title" }, "Registry health");
  replace(place, title, h("p", { class: "soft" }, "…"));
  try {
    const atlas = await get("v1/atlas");
    replace(
      place,
      title,
      h("p", { class: "soft" }, "What spm atlas finds in the whole registry, without any request."),
      tiles(atlas),
      sections(atlas),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    asked = false;
    replace(place, title, h("p", { class: "problem" }, h("b", {}, error.message), " ", error.next));
  }
}

function tiles(atlas) {
  const tile = (count, text, kind, to) =>
    !count
      ? fact(count, text, "good")
      : h(
          "li",
          { class: `card tile ${kind}` },
          h(
            "a",
            {
              href: "#",
              onclick: (event) => {
                event.preventDefault();
                const section = byId(`atlas-${to}`);
                section.scrollIntoView();
                section.focus();
              },
            },
            h("b", {}, count.toLocaleString("en")),
            h("span", {}, text),
          ),
        );
  const fact = (count, text, kind = "") =>
    h(
      "li",
      { class: `card tile ${kind}` },
      h("div", {}, h("b", {}, count.toLocaleString("en")), h("span", {}, text)),
    );
  return h(
    "ul",
    { class: "tiles" },
    fact(
      atlas.active,
      atlas.active === atlas.tools ? "tools" : `active of ${plural(atlas.tools, "tool")}`,
    ),
    fact(atlas.fields, "fields"),
    LISTS.map(([name, kind, title]) => tile(atlas[name].length, title, kind, name)),
  );
}

function sections(atlas) {
  return LISTS.filter(([name]) => atlas[name].length).map(([name, kind, title, why, draw]) => {
    const rows = atlas[name];
    const items = (some) =>
      h(
        "ul",
        { class: "plain" },
        some.map((row) => h("li", {}, draw(row))),
      );
    const rest = rows.slice(SHOWN);
    const more = h("details", {}, h("summary", {}, `${rest.length.toLocaleString("en")} more`));
    // Thousands of rows are made only when somebody wants to see them.
    more.addEventListener("toggle", () => {
      if (more.open && more.children.length === 1) more.append(items(rest.slice(0, 2000)));
    });
    return h(
      "section",
      {
        class: `atlas ${kind}`,
        id: `atlas-${name}`,
        tabindex: "-1",
        "aria-labelledby": `atlas-${name}-title`,
      },
      h(
        "h2",
        { id: `atlas-${name}-title` },
        title,
        h("span", { class: "soft" }, ` ${rows.length.toLocaleString("en")}`),
      ),
      why ? h("p", { class: "soft" }, why) : null,
      items(rows.slice(0, SHOWN)),
      rest.length ? more : null,
    );
  });
}

export function forget() {
  asked = false;
}
