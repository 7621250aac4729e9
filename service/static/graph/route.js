// A menu's route as a drawing: what the request gives, the tools in order, fields on the edges.

import { nameOf } from "../parts/dom.js";

const SHAPES = { entry: "entry", bridge: "box", target: "target", terminal: "target" };
const ON_ONE_EDGE = 3;

// What each kind of node is, for the legend; those that are not there are left out.
export const LEGEND = {
  request: ["pill", "said in the request"],
  done: ["box", "ran already"],
  ask: ["pill", "nobody in the menu makes it: ask"],
  entry: ["entry", "entry: can run at once"],
  bridge: ["box", "bridge: makes what is missing"],
  target: ["target", "target: what was asked for"],
  terminal: ["target", "terminal: ends the route"],
  review: ["stop", "destructive: a person approves"],
  backup: ["box", "backup that makes what is missing"],
};

/** The route of a menu; `done` are the tools that ran before. */
export function drawingOf(menu, done) {
  const route = menu.route.map((id) => menu.items.find((item) => item.id === id)).filter(Boolean);
  const inside = new Set(menu.route);
  const edges = new Map();
  const extra = new Map();
  const edge = (source, target, kind) => {
    const key = `${source}\n${target}`;
    if (!edges.has(key)) edges.set(key, { source, target, kind, fields: [], weight: 0 });
    return edges.get(key);
  };
  for (const item of route) {
    for (const [field, sources] of Object.entries(item.needs)) {
      const source = origin(sources, inside, done);
      if (!inside.has(source)) extra.set(source, outside(source, done));
      edge(source, item.id, source === "ask" ? "asked" : "flows").fields.push(field);
    }
  }
  observe(menu, inside, edge, edges);
  link(route, edges, edge);
  return {
    label: `Route: ${route.map((item) => item.name).join(", then ")}`,
    nodes: [...extra.values(), ...route.map(nodeOf)],
    edges: [...edges.values()].map(written),
  };
}

function origin(sources, inside, done) {
  const tool = sources.find((source) => inside.has(source));
  if (tool) return tool;
  if (sources.includes("request")) return "request";
  return sources.find((source) => done.includes(source)) || (sources[0] ?? "ask");
}

function outside(source, done) {
  if (source === "request") {
    return {
      id: source,
      label: "request",
      kind: "request",
      shape: "pill",
      inert: true,
      spoken: "What the request says",
    };
  }
  if (source === "ask") {
    return {
      id: source,
      label: "ask the user",
      kind: "ask",
      shape: "pill",
      inert: true,
      spoken: "Nobody in the menu makes it: ask the user",
    };
  }
  const [kind, note] = done.includes(source) ? ["done", "ran already"] : ["backup", "backup"];
  return { id: source, label: nameOf(source), note, kind, shape: "box" };
}

/**
 * What agents were seen to do widens the edge that is there. It becomes an edge of its own only
 * where no field leads to a tool: more of them would hide the route, and the panel lists them all.
 */
function observe(menu, inside, edge, edges) {
  const fed = new Set([...edges.values()].filter((e) => inside.has(e.source)).map((e) => e.target));
  const place = (id) => menu.route.indexOf(id);
  for (const seen of menu.edges) {
    if (seen.kind !== "observed" || !inside.has(seen.source) || !inside.has(seen.target)) continue;
    if (place(seen.source) > place(seen.target)) continue;
    const known = edges.has(`${seen.source}\n${seen.target}`);
    if (known || !fed.has(seen.target)) {
      edge(seen.source, seen.target, "seen").weight = seen.count;
    }
  }
}

/** A tool that nothing leads to follows the one before it: the order must be seen. */
function link(route, edges, edge) {
  route.forEach((item, i) => {
    const entered = [...edges.values()].some((e) => e.target === item.id && e.kind !== "asked");
    if (i && !entered) edge(route[i - 1].id, item.id, "then");
  });
}

function nodeOf(item) {
  const review = item.effects === "destructive";
  return {
    id: item.id,
    label: `${item.rank} ${item.name}`,
    note: review ? `${item.role} · approve first` : item.role,
    kind: review ? "review" : item.role,
    shape: review ? "stop" : SHAPES[item.role] || "box",
    spoken: `${item.rank}, ${item.name}, ${item.role}${review ? ", destructive, needs approval" : ""}`,
  };
}

function written(edge) {
  const shown = edge.fields.slice(0, ON_ONE_EDGE).map((text) => ({ text, kind: "field" }));
  const more = edge.fields.length - shown.length;
  if (more) shown.push({ text: `+ ${more} more`, kind: "soft" });
  if (edge.weight) shown.push({ text: `seen ${edge.weight}×`, kind: "soft" });
  const fields = edge.fields.join(", ");
  const seen = edge.weight ? `observed ${edge.weight} times` : "";
  return { ...edge, lines: shown, spoken: [fields, seen].filter(Boolean).join("; ") };
}
