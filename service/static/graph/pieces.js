// Pieces of the registry's graph as drawings: who makes on the left, who takes on the right.

import { plural } from "../parts/dom.js";

export const KINDS = {
  family: ["folder", "family"],
  toolnode: ["box", "tool"],
  target: ["target", "the tool looked at"],
  review: ["stop", "destructive tool"],
  field: ["pill", "field"],
  ask: ["pill", "field that no tool makes: somebody says it"],
  more: ["box", "more than fit"],
};
export const LINES = {
  flows: "makes or takes; the wider, the more often seen",
  optional: "takes, but can do without",
  seen: "seen one after the other",
};

/** The drawing of a piece. */
export function drawingOf(piece, { optional = false } = {}) {
  return { families, family, field, tool }[piece.view](piece, optional);
}

function families(piece) {
  const joined = new Set(piece.edges.flatMap((edge) => [edge.source, edge.target]));
  return {
    label: "How the largest families lead to each other",
    nodes: piece.nodes.filter((node) => joined.has(node.id)).map(familyNode),
    edges: piece.edges.map((edge) => ({
      ...edge,
      kind: "flows",
      weight: edge.count / 4, // thousands of runs between families are no thicker than a menu's few
      lines: [],
      spoken:
        `${edge.source.slice(7)} → ${edge.target.slice(7)}: ${edge.fields.join(", ")}` +
        `${edge.meets > edge.fields.length ? " …" : ""}${edge.count ? `, seen ${edge.count} times` : ""}`,
    })),
  };
}

function familyNode(node) {
  return {
    id: node.id,
    label: node.name || "(no family)",
    note: plural(node.facts.tools, "tool"),
    kind: "family",
    shape: "folder",
    of: node,
  };
}

function family(piece, optional) {
  const nodes = [];
  const edges = [];
  const known = new Map(piece.nodes.map((node) => [node.id, node]));
  const add = once(nodes);
  for (const node of piece.nodes) if (node.kind === "tool") add(toolNode(node, 1));
  for (const edge of piece.edges) {
    if (edge.kind === "optional" && !optional) continue;
    const inward = known.get(edge.source).kind === "field";
    const end = known.get(inward ? edge.source : edge.target);
    const id = add({
      ...fieldNode(end),
      id: `${inward ? "in" : "out"} ${end.id}`,
      layer: inward ? 0 : 2,
    });
    edges.push(line(edge, inward ? id : edge.source, inward ? edge.target : id));
  }
  return {
    label: `Tools of the family ${piece.name} with what they take and give`,
    nodes,
    edges,
    wide: true,
  };
}

function field(piece) {
  const nodes = [];
  const add = once(nodes);
  const middle = `field ${piece.name}`;
  const edges = piece.edges.map((edge) => {
    const inward = edge.target === middle;
    const end = piece.nodes.find((node) => node.id === (inward ? edge.source : edge.target));
    const id = add({
      ...sideNode(end),
      id: `${inward ? "in" : "out"} ${end.id}`,
      layer: inward ? 0 : 2,
    });
    return line(edge, inward ? id : middle, inward ? middle : id);
  });
  const own = piece.nodes.find((node) => node.id === middle);
  add({ ...fieldNode(own), layer: 1 });
  return { label: `Who makes and who takes ${piece.name}`, nodes, edges, wide: true };
}

function tool(piece) {
  const nodes = [];
  const add = once(nodes);
  const known = new Map(piece.nodes.map((node) => [node.id, node]));
  const own = piece.name;
  add({ ...toolNode(known.get(own), 2), kind: "target", shape: "target" });
  const takes = new Set(
    piece.edges.filter((edge) => edge.target === own).map((edge) => edge.source),
  );
  const gives = new Set(
    piece.edges.filter((edge) => edge.source === own).map((edge) => edge.target),
  );
  const made = new Set(
    piece.edges.filter((edge) => edge.source !== own).map((edge) => edge.target),
  );
  const edges = piece.edges.flatMap((edge) => {
    if (edge.kind === "precedes") return seen(edge, own, known, add);
    if (edge.target === own) return [line(edge, part(edge.source, "in", 1), own)];
    if (edge.source === own) return [line(edge, own, part(edge.target, "out", 3))];
    const both = [];
    // A field may be taken and given by the tool: then its makers and takers stand on both sides.
    if (takes.has(edge.target))
      both.push(line(edge, part(edge.source, "in", 0), part(edge.target, "in", 1)));
    if (gives.has(edge.source))
      both.push(line(edge, part(edge.source, "out", 3), part(edge.target, "out", 4)));
    return both;
  });
  function part(id, side, layer) {
    const node = sideNode(known.get(id));
    // Others may answer with a field of this name; who makes this tool's is what leads to it.
    const asked = side === "in" && layer === 1 && !made.has(id);
    const told = asked && { kind: "ask", spoken: `${node.spoken}; no tool makes it for ${own}` };
    return add({ ...node, ...told, id: `${side} ${id}`, layer });
  }
  return { label: `What ${own} takes and gives, and from and to whom`, nodes, edges, wide: true };
}

function seen(edge, own, known, add) {
  const inward = edge.target === own;
  const other = inward ? edge.source : edge.target;
  if (other === own) return [];
  const id = add({
    ...sideNode(known.get(other)),
    id: `${inward ? "in" : "out"} ${other}`,
    layer: inward ? 0 : 4,
  });
  return [
    {
      source: inward ? id : own,
      target: inward ? own : id,
      kind: "seen",
      weight: edge.count,
      lines: [],
      spoken: `seen ${edge.count} times`,
    },
  ];
}

function line(edge, source, target) {
  return {
    source,
    target,
    kind: edge.kind === "optional" ? "optional" : "flows",
    weight: edge.count,
    lines: [],
    spoken: edge.kind,
  };
}

/** Adds a node unless one of its id is there; says the id. */
function once(nodes) {
  const there = new Set();
  return (node) => {
    if (!there.has(node.id)) nodes.push(node);
    there.add(node.id);
    return node.id;
  };
}

function sideNode(node) {
  if (node.kind === "field") return fieldNode(node);
  if (node.kind === "tool") return toolNode(node);
  return {
    id: node.id,
    label: `… ${node.name}`,
    kind: "more",
    shape: "box",
    of: node,
    spoken: `${node.name}: show all`,
  };
}

function toolNode(node, layer) {
  const review = node.facts.effects === "destructive";
  return {
    id: node.id,
    label: node.name,
    note: node.facts.service,
    kind: review ? "review" : "toolnode",
    shape: review ? "stop" : "box",
    layer,
    of: node,
    spoken: `tool ${node.name} of ${node.facts.service}${review ? ", destructive" : ""}`,
  };
}

function fieldNode(node) {
  const { makers, takers } = node.facts;
  return {
    id: node.id,
    label: node.name,
    kind: makers ? "field" : "ask",
    shape: "pill",
    of: node,
    spoken: `field ${node.name}, made by ${makers}, needed by ${takers}`,
  };
}
