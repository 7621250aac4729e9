// The menu view: a request, what is visible, the route as a graph and in words, and the backups.

import { latest, post, Problem } from "../parts/api.js";
import { actions } from "../parts/copying.js";
import { announce, byId, debounced, h, nameOf, plural, replace, roving } from "../parts/dom.js";
import { controls, refresh } from "./asking.js";
import { draw, mark } from "../graph/graph.js";
import { legend } from "../graph/legend.js";
import { go, read } from "../parts/place.js";
import { drawingOf } from "../graph/route.js";
import { row } from "../parts/tools.js";
import * as why from "./why.js";
import { absent } from "./whynot.js";

const EXAMPLES = [
  "Email the customer the receipt for order 4821",
  "Refund order 4821 and tell the customer",
  "Schedule a call with Dana next Tuesday and invite Sam",
];
const ask = latest();
let place = read();
let menu = null;
let asked = ""; // the question that `menu` answers
let width = 0; // for which the route was drawn

/** The question of a place, as the service takes it. */
export const question = (at = place) => ({
  request: at.q,
  state: at.state,
  without: at.without,
  done: at.done,
  k: at.k,
  prefix: at.prefix,
  read_only: at.readonly,
  allow_writes: at.writes,
});

/** Change what is asked or looked at; the new address comes back through `show`. */
const update = (change, options = {}) => go({ ...place, ...change }, options);

const choose = (id) => update({ tool: id });
const act = {
  choose,
  update,
  done: (id) => update({ done: [...place.done, id], tool: "" }),
  place: () => place,
  question,
  called: (id) => menu?.items.find((item) => item.id === id)?.name ?? nameOf(id),
};

async function run() {
  if (!place.q.trim()) {
    menu = null;
    asked = "";
    return render();
  }
  const key = JSON.stringify(question());
  byId("result").setAttribute("aria-busy", "true");
  try {
    const found = await ask((signal) => post("v1/menus", question(), signal));
    if (found === undefined) return undefined; // a newer question is on its way
    [menu, asked] = [apart(found), key];
    replace(byId("menu-problem"));
    announce(said());
  } catch (error) {
    failed(error);
    [menu, asked] = [null, ""];
  }
  byId("result").removeAttribute("aria-busy");
  return render();
}

/** The menu with tools of one name called by their ids, as `spm menu` does. */
function apart(found) {
  const times = new Map();
  found.items.forEach(({ name }) => times.set(name, (times.get(name) ?? 0) + 1));
  const called = (item) => (times.get(item.name) > 1 ? item.id : item.name);
  return { ...found, items: found.items.map((item) => ({ ...item, name: called(item) })) };
}

const later = debounced(run, 220);

function failed(error) {
  if (!(error instanceof Problem)) throw error;
  replace(
    byId("menu-problem"),
    h("p", { class: "problem" }, h("b", {}, error.message), " ", error.next),
  );
}

const routeNames = () =>
  menu.items.filter((item) => menu.route.includes(item.id)).map((item) => item.name);

function said() {
  const names = routeNames();
  const behind = menu.items.length - names.length;
  if (!menu.items.length) return "The menu is empty.";
  return `Route of ${plural(names.length, "tool")}: ${names.join(", ")}. ${plural(behind, "backup")}.`;
}

function render() {
  refresh(place, menu, act);
  byId("result").hidden = !menu;
  welcome();
  if (!menu) return;
  const names = routeNames();
  byId("summary").textContent = [
    plural(menu.items.length, "tool"),
    plural(menu.traces, "similar trace"),
    `trust in them ${menu.trust.toFixed(2)}`,
    `ranker ${menu.ranker}`,
    `revision ${menu.revision}`,
  ].join(" · ");
  byId("route-title").textContent = names.length ? `Route of ${names.length}` : "No route";
  replace(
    byId("notes"),
    menu.notes.map((note) => h("li", {}, note)),
  );
  picture();
  const seen = new Set(menu.route);
  const front = menu.items.filter((item) => seen.has(item.id));
  const behind = menu.items.filter((item) => !seen.has(item.id));
  replace(
    byId("route"),
    front.map((item) => row(item, menu, act, true)),
  );
  replace(
    byId("backups"),
    behind.map((item) => row(item, menu, act, false)),
  );
  byId("backups-title").textContent = behind.length
    ? `${plural(behind.length, "backup")}`
    : "No backups";
  panel();
}

function picture() {
  const drawing = drawingOf(menu, place.done);
  const canvas = byId("route-graph");
  width = canvas.clientWidth;
  draw(canvas, drawing, { choose: (node) => choose(node.id), selected: () => place.tool });
  replace(byId("legend"), legend(drawing));
}

function panel() {
  mark(byId("route-graph"), place.tool);
  document.querySelectorAll("#result .tool").forEach((item) => {
    const chosen = item.dataset.id === place.tool;
    item.classList.toggle("chosen", chosen);
    item.querySelector(".open").setAttribute("aria-expanded", String(chosen));
  });
  why.show(byId("why"), place.tool, menu, act);
}

function welcome() {
  const box = byId("welcome");
  if (menu || place.q.trim()) return replace(box);
  return replace(
    box,
    h("p", { class: "soft" }, "Type a request, or try one of the demo shop:"),
    h(
      "ul",
      { class: "examples" },
      EXAMPLES.map((text) =>
        h("li", {}, h("button", { type: "button", onclick: () => update({ q: text }) }, text)),
      ),
    ),
  );
}

export function start() {
  controls(act, later);
  actions({ question, named: () => menu?.request || "" });
  absent(byId("absent"), act);
  ["route", "backups"].forEach((id) => roving(byId(id), ".open"));
  new ResizeObserver(
    debounced(() => {
      const now = byId("route-graph").clientWidth;
      if (menu && now && now !== width) picture();
    }, 80),
  ).observe(byId("route-graph"));
}

export function show(at) {
  place = at;
  refresh(place, menu, act);
  const key = place.q.trim() ? JSON.stringify(question()) : "";
  if (key === asked) return menu ? panel() : render();
  // Who types is waited for; everything else is answered at once.
  return document.activeElement === byId("q") ? later() : later.now();
}

export function forget() {
  [menu, asked] = [null, ""];
}
