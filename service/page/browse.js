// The browse view: families first, then one family, field or tool, each as a graph and in words.

import { get, latest, Problem } from "./api.js";
import { combo } from "./combo.js";
import { announce, byId, debounced, h, plural, replace } from "./dom.js";
import { draw } from "./graph.js";
import { legend } from "./legend.js";
import { drawingOf, KINDS, LINES } from "./pieces.js";
import { go, hash } from "./place.js";
import { fields } from "./vocabulary.js";
import { inWords } from "./words.js";

const ask = latest();
const LIMIT = 24;
let place = null;
let piece = null;
let optional = false;
let width = 0;

/** Where a node leads. */
function target(node) {
  if (node.kind === "family") return { view: "browse", family: node.name || " " };
  if (node.kind === "field") return { view: "browse", field: node.name };
  if (node.kind === "more") return { view: "browse", field: node.facts.of.slice("field ".length) };
  return { view: "browse", tool: node.id };
}

export function start() {
  replace(byId("browse"),
    h("div", { class: "bar" }, h("h1", { id: "browse-title", tabindex: "-1" }, "Browse"),
      h("div", { class: "goto" }, combo({
        label: "Go to a family, field or tool",
        placeholder: "go to a family, field or tool",
        search: find,
        choose: (value) => go(JSON.parse(value)),
      }))),
    h("nav", { id: "crumbs", class: "crumbs", "aria-label": "Where you are" }),
    h("div", { id: "browse-problem", role: "alert" }),
    h("div", { id: "piece" }));
  new ResizeObserver(debounced(() => {
    const now = byId("browse").clientWidth;
    if (piece && now && now !== width) render();
  }, 80)).observe(byId("browse"));
}

async function find(text, signal) {
  if (!text) return [];
  const wanted = text.toLowerCase();
  const known = (await fields()).map((row) => row.field).filter((name) => name.includes(wanted.replace(/[\s-]+/g, "_"))).slice(0, 5);
  const found = await get("v1/tools", { q: text, limit: 8 }, signal);
  const named = families.filter((node) => node.name.toLowerCase().includes(wanted)).slice(0, 5);
  const option = (at, label, note) => ({ value: JSON.stringify({ view: "browse", ...at }), label, note });
  return [
    ...named.map((node) => option({ family: node.name }, node.name, "family")),
    ...known.map((name) => option({ field: name }, name, "field")),
    ...(found.tools ?? found).map((row) => option({ tool: row.id }, row.name, `tool of ${row.service}`)),
  ];
}

let families = [];

export async function show(at) {
  const same = place && ["family", "field", "tool", "find"].every((name) => place[name] === at[name]);
  place = at;
  if (same && piece) return;
  const params = at.tool ? { tool: at.tool } : at.field ? { field: at.field } : at.family ? { family: at.family.trim() } : {};
  byId("piece").setAttribute("aria-busy", "true");
  try {
    const query = "family" in params ? `v1/graph?family=${encodeURIComponent(params.family)}` : "v1/graph";
    const rest = "family" in params ? `&limit=${LIMIT}${at.find ? `&after=${encodeURIComponent(at.find)}` : ""}` : "";
    const found = await ask((signal) => get(query + rest, "family" in params ? {} : params, signal));
    if (!found) return;
    piece = found;
    if (piece.view === "families") families = piece.nodes;
    replace(byId("browse-problem"));
    render();
    announce(`${heading()}, ${plural(piece.nodes.length, "node")}, ${plural(piece.edges.length, "edge")}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    piece = null;
    replace(byId("piece"));
    crumbs();
    replace(byId("browse-problem"), h("p", { class: "problem" }, h("b", {}, error.message), " ", error.next));
  }
  byId("piece").removeAttribute("aria-busy");
}

const heading = () => ({
  families: "All families",
  family: `Family ${piece?.name || "(none)"}`,
  field: `Field ${piece?.name}`,
  tool: piece?.name,
})[piece?.view] || "Nothing found";

function crumbs() {
  const home = h("a", { href: hash({ view: "browse" }) }, "All families");
  const own = piece?.view === "tool" && piece.nodes.find((node) => node.id === piece.name);
  const family = own ? own.facts.family : "";
  replace(byId("crumbs"), piece?.view === "families" ? null : [
    home,
    family ? h("a", { href: hash({ view: "browse", family }) }, `Family ${family}`) : null,
    h("span", { "aria-current": "page" }, heading()),
  ]);
}

function render() {
  width = byId("browse").clientWidth;
  crumbs();
  byId("browse-title").textContent = piece.view === "families" ? "Browse" : heading();
  const drawing = drawingOf(piece, { optional });
  const canvas = h("div", { class: "canvas" });
  const words = inWords(piece, target);
  const figure = drawing.nodes.length
    ? h("figure", { class: "card" }, canvas,
        h("figcaption", {}, h("ul", { class: "legend" }, legend(drawing, KINDS, LINES)), switches()))
    : h("p", { class: "soft" }, piece.view === "families" && !piece.nodes.length
        ? "No tool is registered, or you may see none." : "No field joins the largest families.");
  const body = h("div", { class: piece.view === "families" ? "overview" : "" });
  replace(byId("piece"), body);
  body.append(...(piece.view === "families" ? [words, figure] : [summary(), figure, words].filter(Boolean)));
  if (drawing.nodes.length) draw(canvas, drawing, { choose: (node) => go(target(node.of)) });
}

function switches() {
  const box = [h("p", { class: "soft keys" }, "Arrow keys move, Enter opens.")];
  if (piece.view === "family") {
    const check = h("input", { type: "checkbox", checked: optional, onchange: () => {
      optional = check.checked;
      render();
    } });
    box.unshift(h("label", { class: "check soft" }, check, " Optional inputs"));
  }
  if (piece.next) {
    box.unshift(h("a", { class: "button", href: hash({ view: "browse", family: place.family, find: piece.next }) }, `${plural(piece.left_out, "more tool")} →`));
  }
  return h("div", { class: "actions" }, box);
}

function summary() {
  if (piece.view !== "tool") return null;
  const own = piece.nodes.find((node) => node.id === piece.name);
  return h("div", {},
    h("p", {}, own.facts.description || "It has no description."),
    h("p", { class: "soft" }, `${own.facts.effects} · used in ${plural(own.facts.frequency, "trace")} · family ${own.facts.family || "none"}`),
    h("p", {}, h("a", { class: "button", href: menuWith(own.id) }, "Why is it in the menu, or why not?")));
}

/** The menu as it was left, with this tool chosen. */
function menuWith(id) {
  const left = document.querySelector('nav a[data-view="menu"]').getAttribute("href");
  return `${left}${left.includes("?") ? "&" : "?"}tool=${encodeURIComponent(id)}`.replace(/tool=[^&]*&(.*tool=)/, "$1");
}

export function forget() {
  [piece, place, families] = [null, null, []];
}
