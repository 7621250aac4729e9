// Why a tool is where it is, and why another one is not there.

import { get, impact, latest, post, Problem } from "./api.js";
import { bars } from "./bars.js";
import { combo } from "./combo.js";
import { announce, byId, h, nameOf, plural, replace } from "./dom.js";
import { hash } from "./place.js";
import { badge, evidence, needs } from "./tools.js";

const ask = latest();
const TERMS = { belongs: "belongs to the route", slot: "fills a place that is open", field: "makes what is missing",
  alike: "much like one that is there", similarity: "meaning", vote: "similar requests", neighbour: "seen beside",
  producer: "makes what is missing" };
const SIGNALS = { similarity: "text means the same", words: "words in common", vote: "used by similar requests",
  entry_vote: "began similar requests", nearest: "the nearest request used it", tool_frequency: "used often",
  from_votes: "seen after those", flow_in: "seen after candidates", flow_out: "seen before candidates",
  ready: "inputs at hand", missing: "inputs missing" };
const ORDER = { member: "belongs to the route", slot: "fits this place", ready: "inputs at hand", entry: "began similar requests",
  before: "seen before the others", follows: "seen after the one before", fed: "takes what was just made",
  recalled: "as a similar request went", blocked: "inputs missing", waits: "waits for others" };

/** Show the panel for a tool: why, or why not. */
export function show(panel, id, menu, act) {
  panel.classList.toggle("open", Boolean(menu && id));
  if (!menu || !id) panel.dataset.shown = "";
  if (!menu || !id) return replace(panel, h("h2", { id: "why-title" }, "Why"),
    h("p", { class: "soft" }, "Choose a tool of the route or of the backups to see what its place is made of."));
  if (panel.dataset.shown === `${id} ${JSON.stringify(act.question())}`) return undefined;
  panel.dataset.shown = `${id} ${JSON.stringify(act.question())}`;
  const item = menu.items.find((one) => one.id === id);
  return item ? why(panel, item, menu, act) : whyNot(panel, id, act);
}

function why(panel, item, menu, act) {
  const traces = h("div", { class: "traces" }, h("p", { class: "soft" }, "…"));
  const order = Object.fromEntries(Object.entries(item.order).filter(([, value]) => value));
  replace(panel,
    title(item.name, item.id, act),
    h("p", { class: "badges" }, badge(item.role), badge(item.effects === "destructive" ? "review" : "effect", item.effects), badge("effect", evidence(item, menu))),
    h("p", {}, item.description || item.title),
    h("div", { class: "actions" },
      h("button", { type: "button", onclick: () => act.done(item.id) }, "It ran: next menu"),
      h("a", { class: "button", href: hash({ view: "browse", tool: item.id }) }, "Show in the graph")),
    h("h3", {}, "Needs"), h("p", { class: "needs" }, needs(item, act)),
    h("h3", {}, `Score ${item.score.toFixed(3)}`), bars(item.terms, TERMS),
    Object.keys(order).length ? [h("h3", {}, "Its place in front"), bars(order, ORDER)] : null,
    Object.keys(item.signals).length ? [h("h3", {}, "What was seen of it"), bars(item.signals, SIGNALS)] : null,
    h("h3", {}, "Edges"), edges(item, menu, act),
    h("h3", {}, "Traces"), traces);
  observed(traces, item.id);
}

function title(name, id, act) {
  const close = () => {
    act.choose("");
    document.querySelector(`#result .tool[data-id="${CSS.escape(id)}"] .open`)?.focus();
  };
  return [
    h("button", { type: "button", class: "quiet close", "aria-label": "Close", onclick: close }, "×"),
    h("h2", { id: "why-title" }, name),
    h("p", { class: "soft id" }, id),
  ];
}

function edges(item, menu, act) {
  const around = menu.edges.filter((edge) => edge.target === item.id || edge.source === item.id)
    .sort((a, b) => b.count - a.count || a.field.localeCompare(b.field));
  if (!around.length) return h("p", { class: "soft" }, "None: no field meets, and no transition was seen.");
  const line = (edge) => {
    const inward = edge.target === item.id;
    const other = inward ? edge.source : edge.target;
    const name = h("button", { type: "button", class: "inline", onclick: () => act.choose(other) }, nameOf(other));
    if (edge.kind === "observed") return h("li", {}, inward ? "after " : "before ", name, h("span", { class: "soft" }, `, seen ${edge.count}×`));
    return h("li", {}, h("code", {}, edge.field), inward ? " from " : " to ", name);
  };
  const list = (some) => h("ul", { class: "plain" }, some.map(line));
  if (around.length <= 8) return list(around);
  return [list(around.slice(0, 8)), h("details", {}, h("summary", {}, `${around.length - 8} more`), list(around.slice(8)))];
}

async function observed(place, id) {
  try {
    const found = await ask((signal) => impact(id, signal));
    if (!found) return;
    const { trajectories, share, examples } = found.observed;
    replace(place,
      h("p", {}, trajectories ? `In ${plural(trajectories, "trace")}, ${(100 * share).toFixed(0)} % of all.` : "No imported trace used it."),
      h("ul", { class: "plain quotes" }, examples.slice(0, 5).map((row) => h("li", {}, row.request, row.success ? null : h("span", { class: "soft" }, " (failed)")))),
      found.stopped.length ? h("p", { class: "soft" }, `Without it ${plural(found.stopped.length, "tool")} could no longer run.`) : null);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    replace(place, h("p", { class: "soft" }, error.message));
  }
}

async function whyNot(panel, id, act) {
  replace(panel, title(nameOf(id), id, act), h("p", { class: "soft" }, "…"));
  let found;
  try {
    found = await ask((signal) => post("v1/menus/why-not", { ...act.question(), tool: id }, signal));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    replace(panel, title(nameOf(id), id, act), h("p", { class: "problem" }, h("b", {}, error.message), " ", error.next));
    return;
  }
  if (!found) return;
  const ran = act.place().done.includes(found.tool);
  replace(panel,
    title(nameOf(found.tool), found.tool, act),
    h("p", { class: "badges" }, badge("absent", ran ? "ran already" : "not in this menu")),
    h("ul", { class: "plain reasons" }, found.reasons.map((reason) => h("li", {}, reason))),
    found.admitted_by.length ? [h("h3", {}, "It would be admitted by"), h("ul", { class: "plain" }, found.admitted_by.map((change) => remedy(change, act)))] : null,
    Object.keys(found.terms).length ? [h("h3", {}, `Score ${sum(found.terms).toFixed(4)}`), bars(found.terms, TERMS), h("p", { class: "soft" }, `The last tool of the menu has ${found.cutoff.toFixed(4)}.`)] : null,
    h("div", { class: "actions" }, h("a", { class: "button", href: hash({ view: "browse", tool: found.tool }) }, "Show in the graph")));
  announce(`${nameOf(found.tool)} is not in the menu. ${found.reasons.join(" ")}`);
}

const sum = (terms) => Object.values(terms).reduce((total, value) => total + value, 0);

/** What the command line would say, as a button where the page can do it. */
function remedy(change, act) {
  const size = /^-k (\d+)$/.exec(change);
  const field = /^--state (\S+)$/.exec(change);
  const button = (text, patch) => h("li", {}, h("button", { type: "button", onclick: () => act.update(patch) }, text));
  if (size && Number(size[1]) <= 1000) return button(`Show ${size[1]} tools`, { k: Number(size[1]) });
  if (field) return button(`Add the field ${field[1]}`, { state: [...act.place().state, field[1]] });
  if (change === "leaving out --read-only") return button("Allow tools that change something", { readonly: false });
  if (change === "leaving out --done for it") return button("Take back what ran", { done: [] });
  return h("li", {}, change);
}

/** The search for tools that may be absent. */
export function absent(place, act) {
  replace(place, combo({
    label: "Find a tool by name or text",
    placeholder: "a tool by name or text",
    search: async (text, signal) => {
      if (!text) return [];
      const found = await get("v1/tools", { q: text, limit: 12 }, signal);
      return (found.tools ?? found.items ?? found).map((row) => ({ value: row.id, label: row.name, note: row.service }));
    },
    choose: (id) => {
      act.choose(id);
      byId("why").focus();
    },
  }));
}
