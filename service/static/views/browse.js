// The browse view: families first, then one family, field or tool, each as a graph and in words.

import { get, latest, Problem } from "../parts/api.js";
import { combo } from "../parts/combo.js";
import { announce, byId, debounced, h, plural, replace } from "../parts/dom.js";
import { draw } from "../graph/graph.js";
import { legend } from "../graph/legend.js";
import { drawingOf, KINDS, LINES } from "../graph/pieces.js";
import { go, hash, read } from "../parts/place.js";
import { complete } from "../parts/vocabulary.js";
import { inWords } from "./words.js";

const ask = latest();
const LIMIT = { family: 24, field: 14, all: 200 };
let place = null;
let piece = null;
let optional = false;
let width = 0;

/** Where a node leads. */
function target(node) {
  if (node.kind === "family") return { view: "browse", family: node.name || " " };
  if (node.kind === "field") return { view: "browse", field: node.name };
  if (node.kind === "more")
    return { view: "browse", field: node.facts.of.slice("field ".length), find: "all" };
  return { view: "browse", tool: node.id };
}

export function start() {
  replace(
    byId("browse"),
    h(
      "div",
      { class: "bar" },
      h("h1", { id: "browse-title", tabindex: "-1" }, "Browse"),
      h(
        "div",
        { class: "goto" },
        combo({
          label: "Go to a family, field or tool",
          placeholder: "go to a family, field or tool",
          search: find,
          choose: (value) => go(read(value)),
        }),
      ),
    ),
    h("nav", { id: "crumbs", class: "crumbs", "aria-label": "Where you are" }),
    h("div", { id: "browse-problem", role: "alert" }),
    h("div", { id: "piece" }),
  );
  new ResizeObserver(
    debounced(() => {
      const now = byId("browse").clientWidth;
      if (piece && now && now !== width) render();
    }, 80),
  ).observe(byId("browse"));
}

async function find(text, signal) {
  if (!text) return [];
  const found = await complete(text, ["family", "field", "tool"], signal);
  return found.map((option) => ({
    ...option,
    value: hash({ view: "browse", [option.kind]: option.value }),
  }));
}

/** What is asked of the service for a place; `find` is where to go on, or "all" of a field. */
function query(at) {
  const named = (name, value, more = {}) => `?${new URLSearchParams({ [name]: value, ...more })}`;
  if (at.tool) return named("tool", at.tool);
  if (at.field)
    return named("field", at.field, { limit: at.find === "all" ? LIMIT.all : LIMIT.field });
  // A family without a name is written as a blank in the address.
  if (at.family) return named("family", at.family.trim(), { limit: LIMIT.family, after: at.find });
  return "";
}

export async function show(at) {
  const same =
    place && ["family", "field", "tool", "find"].every((name) => place[name] === at[name]);
  place = at;
  if (same && piece) return;
  byId("piece").setAttribute("aria-busy", "true");
  try {
    const found = await ask((signal) => get(`v1/graph${query(at)}`, {}, signal));
    if (!found) return;
    piece = found;
    replace(byId("browse-problem"));
    render();
    announce(
      `${heading()}, ${plural(piece.nodes.length, "node")}, ${plural(piece.edges.length, "edge")}`,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    piece = null;
    replace(byId("piece"));
    crumbs();
    replace(
      byId("browse-problem"),
      h("p", { class: "problem" }, h("b", {}, error.message), " ", error.next),
    );
  }
  byId("piece").removeAttribute("aria-busy");
}

const heading = () =>
  ({
    families: "All families",
    family: `Family ${piece?.name || "(none)"}`,
    field: `Field ${piece?.name}`,
    tool: piece?.name,
  })[piece?.view] || "Nothing found";

function crumbs() {
  const home = h("a", { href: hash({ view: "browse" }) }, "All families");
  const own = piece?.view === "tool" && piece.nodes.find((node) => node.id === piece.name);
  const family = own ? own.facts.family : "";
  replace(
    byId("crumbs"),
    piece?.view === "families"
      ? null
      : [
          home,
          family ? h("a", { href: hash({ view: "browse", family }) }, `Family ${family}`) : null,
          h("span", { "aria-current": "page" }, heading()),
        ],
  );
}

function render() {
  width = byId("browse").clientWidth;
  crumbs();
  byId("browse-title").textContent = piece.view === "families" ? "Browse" : heading();
  const drawing = drawingOf(piece, { optional });
  const canvas = h("div", { class: "canvas" });
  const words = inWords(piece, target);
  const figure = drawing.nodes.length
    ? h(
        "figure",
        { class: "card" },
        canvas,
        h(
          "figcaption",
          {},
          h("ul", { class: "legend" }, legend(drawing, KINDS, LINES)),
          switches(),
        ),
      )
    : h(
        "p",
        { class: "soft" },
        piece.view === "families" && !piece.nodes.length
          ? "No tool is registered, or you may see none."
          : "No field joins the largest families.",
      );
  const body = h("div", { class: piece.view === "families" ? "overview" : "" });
  replace(byId("piece"), body);
  body.append(
    ...(piece.view === "families" ? [words, figure] : [summary(), figure, words].filter(Boolean)),
  );
  if (drawing.nodes.length) draw(canvas, drawing, { choose: (node) => go(target(node.of)) });
}

function switches() {
  const box = [h("p", { class: "soft keys" }, "Arrow keys move, Enter opens.")];
  if (piece.view === "family") {
    const check = h("input", {
      type: "checkbox",
      checked: optional,
      onchange: () => {
        optional = check.checked;
        render();
      },
    });
    box.unshift(h("label", { class: "check soft" }, check, " Optional inputs"));
  }
  if (piece.next) {
    box.unshift(
      h(
        "a",
        { class: "button", href: hash({ view: "browse", family: place.family, find: piece.next }) },
        `${plural(piece.left_out, "more tool")} →`,
      ),
    );
  }
  return h("div", { class: "actions" }, box);
}

function summary() {
  if (piece.view !== "tool") return null;
  const own = piece.nodes.find((node) => node.id === piece.name);
  return h(
    "div",
    {},
    h("p", {}, own.facts.description || "It has no description."),
    h(
      "p",
      { class: "soft" },
      `${own.facts.effects} · used in ${plural(own.facts.frequency, "trace")} · family ${own.facts.family || "none"}`,
    ),
    h(
      "p",
      {},
      h("a", { class: "button", href: menuWith(own.id) }, "Why is it in the menu, or why not?"),
    ),
  );
}

/** The menu as it was left, with this tool chosen. */
function menuWith(id) {
  const left = document.querySelector('nav a[data-view="menu"]').getAttribute("href");
  return `${left}${left.includes("?") ? "&" : "?"}tool=${encodeURIComponent(id)}`.replace(
    /tool=[^&]*&(.*tool=)/,
    "$1",
  );
}

export function forget() {
  [piece, place] = [null, null];
}
