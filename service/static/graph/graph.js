// Draws a small graph as SVG: layers from left to right, or downwards where there is little room.
//
// A drawing is {label, nodes, edges}. A node: {id, label, note, kind, shape, spoken, layer?}; an
// edge: {source, target, lines, kind, weight, spoken}. `lines` are written on the edge; drawings
// with layers of their own have none.

import { post, Problem } from "../parts/api.js";
import { h, s, shortened } from "../parts/dom.js";
import { outline } from "./shapes.js";

const FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif';
const LABEL = 30;
const NARROW = 620;
const pen = document.createElement("canvas").getContext("2d");

function measure(text, size, weight = 400) {
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}

function sized(node) {
  const label = shortened(node.label, LABEL);
  const note = shortened(node.note || "", LABEL + 8);
  const wide = Math.max(measure(label, 13.5, 600), measure(note, 11.5));
  return { ...node, text: label, note, width: Math.max(64, wide + 26), height: note ? 44 : 30 };
}

function labelled(edge) {
  const texts = edge.lines.map((line) => ({ ...line, text: shortened(line.text, 26) }));
  const wide = Math.max(...texts.map((line) => measure(line.text, 11.5)));
  return { texts, width: wide + 16, height: 15 * texts.length + 7 };
}

/** How wide an edge is drawn: it grows with the logarithm of what was observed. */
export const thickness = (count) => Math.min(7, 1.4 + 0.62 * Math.log2(1 + (count || 0)));

const KEPT = 30;
const LANE_GAP = 4; // between long edges that pass the nodes of a column side by side
const layouts = new Map();

/** Where boxes go, as the service says; the same ones are asked about once. */
function arrange(boxes, edges, gap) {
  const layers = boxes.some((box) => box.layer !== undefined) ? boxes.map((box) => box.layer) : null;
  const sizes = boxes.map(({ width, height }) => [width, height]);
  const graph = { sizes, edges, layers, gap, lane_gap: LANE_GAP };
  const key = JSON.stringify(graph);
  if (!layouts.has(key)) {
    if (layouts.size >= KEPT) layouts.delete(layouts.keys().next().value);
    const found = post("page/layout", graph);
    layouts.set(key, found);
    found.catch(() => layouts.delete(key));
  }
  return layouts.get(key);
}

/** Nodes, and the labels of edges as nodes of their own, so that no text lies on another. */
async function placed(drawing, down) {
  const nodes = drawing.nodes.map(sized);
  const at = new Map(nodes.map((node, i) => [node.id, i]));
  const edges = drawing.edges.filter((edge) => at.has(edge.source) && at.has(edge.target));
  const boxes = nodes.map((node) => ({ ...turned(node, down), layer: node.layer }));
  const pairs = [];
  const parts = edges.map((edge) => {
    const [a, b] = [at.get(edge.source), at.get(edge.target)];
    if (!edge.lines?.length) return { edge, legs: [pairs.push([a, b]) - 1] };
    const label = labelled(edge);
    const middle = boxes.push(turned(label, down)) - 1;
    return {
      edge,
      label,
      middle,
      legs: [pairs.push([a, middle]) - 1, pairs.push([middle, b]) - 1],
    };
  });
  const bare = parts.every((part) => !part.label); // then curves need room of their own
  const found = await arrange(boxes, pairs, down ? (bare ? 46 : 22) : bare ? 84 : 24);
  const turn = ([x, y]) => (down ? [y, x] : [x, y]);
  return {
    nodes,
    parts,
    centres: found.centres.map(turn),
    routes: found.routes.map((points) => points.map(turn)),
    width: down ? found.height : found.width,
    height: down ? found.width : found.height,
  };
}

const turned = ({ width, height }, down) =>
  down ? { width: height, height: width } : { width, height };

/** Lines within a column and curves between columns, in turn. */
function curve(points, down, open = "M") {
  const [[x0, y0], ...rest] = points;
  let [x, y] = [x0, y0];
  let path = `${open}${x.toFixed(1)} ${y.toFixed(1)}`;
  rest.forEach(([x2, y2], i) => {
    const end = `${x2.toFixed(1)} ${y2.toFixed(1)}`;
    if (i % 2 === 0) path += `L${end}`;
    else {
      const [dx, dy] = down ? [0, (y2 - y) / 2] : [(x2 - x) / 2, 0];
      const bend = [x + dx, y + dy, x2 - dx, y2 - dy].map((n) => n.toFixed(1));
      path += `C${bend[0]} ${bend[1]} ${bend[2]} ${bend[3]} ${end}`;
    }
    [x, y] = [x2, y2];
  });
  return path;
}

function head(points, width, down) {
  const [x, y] = points.at(-1);
  const [px, py] = points.at(-2);
  const [long, half] = [7 + width, 3.2 + 0.7 * width];
  const way = down ? Math.sign(y - py) || 1 : Math.sign(x - px) || 1;
  return down
    ? `${x},${y} ${x - half},${y - long * way} ${x + half},${y - long * way}`
    : `${x},${y} ${x - long * way},${y - half} ${x - long * way},${y + half}`;
}

function drawEdge(part, plan, down) {
  const { edge, label, middle, legs } = part;
  const routes = legs.map((leg) => plan.routes[leg]).filter((points) => points.length > 1);
  if (routes.length < legs.length) return null;
  const width = thickness(edge.weight);
  const end = routes.at(-1);
  const arrow = head(end, width, down);
  // The line ends inside the arrow head, whose point would otherwise look blunt.
  const last = [...end];
  const [x, y] = last.at(-1);
  const [px, py] = last.at(-2);
  const back = 5 + width * 0.6;
  last[last.length - 1] = down
    ? [x, y - back * (Math.sign(y - py) || 1)]
    : [x - back * (Math.sign(x - px) || 1), y];
  const path =
    routes.length > 1 ? curve(routes[0], down) + curve(last, down, "L") : curve(last, down);
  const group = s("g", { class: `edge ${edge.kind}`, "aria-hidden": "true" });
  group.append(s("path", { d: path, "stroke-width": width.toFixed(1) }));
  group.append(s("polygon", { points: arrow }));
  if (edge.spoken) group.append(s("title", {}, edge.spoken));
  if (label) group.append(drawLabel(label, plan.centres[middle]));
  group.ends = [edge.source, edge.target];
  return group;
}

function drawLabel({ texts, width, height }, [x, y]) {
  const group = s("g", { class: "along" });
  group.append(
    s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: Math.min(10, height / 2) }),
  );
  texts.forEach((line, i) => {
    const at = y - height / 2 + 14.5 + 15 * i;
    group.append(s("text", { x, y: at.toFixed(1), class: line.kind || "" }, line.text));
  });
  return group;
}

function drawNode(node, [x, y]) {
  const { width, height } = node;
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  const active = node.inert ? { role: "img" } : { role: "button", tabindex: "-1" };
  const group = s("g", {
    class: `node ${node.kind}${node.inert ? " inert" : ""}`,
    transform: place,
    "aria-label": node.spoken || [node.label, node.note].filter(Boolean).join(", "),
    "data-id": node.id,
    ...active,
  });
  outline(node.shape || "box", width, height).forEach((d, i) =>
    group.append(s("path", { d, class: i ? "inner" : "outer" })),
  );
  group.append(s("text", { y: node.note ? -3 : 4.5 }, node.text));
  if (node.note) group.append(s("text", { y: 14, class: "note" }, node.note));
  group.append(s("title", {}, node.spoken || node.label));
  group.node = node;
  group.centre = [x, y];
  return group;
}

const newest = new WeakMap(); // which drawing a place waits for

/**
 * Draw into `place`, an element; `choose(node)` is called on click, Enter and Space, and
 * `selected()` says which node is chosen. What was drawn before stays until its layout is there.
 */
export async function draw(place, drawing, { choose, selected = () => "" } = {}) {
  const down = place.clientWidth > 0 && place.clientWidth < NARROW && !drawing.wide;
  newest.set(place, drawing);
  let plan;
  try {
    plan = await placed(drawing, down);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (newest.get(place) === drawing)
      place.replaceChildren(h("p", { class: "problem" }, h("b", {}, error.message), " ", error.next));
    return;
  }
  if (newest.get(place) !== drawing) return;
  const edges = plan.parts.map((part) => drawEdge(part, plan, down)).filter(Boolean);
  const nodes = plan.nodes.map((node, i) => drawNode(node, plan.centres[i]));
  // Shrunk a little rather than scrolled; more than a little would be too small to read.
  const room = place.clientWidth || plan.width;
  const scale = Math.max(0.86, Math.min(1, room / plan.width));
  const svg = s(
    "svg",
    {
      viewBox: `0 0 ${plan.width.toFixed(0)} ${plan.height.toFixed(0)}`,
      width: (plan.width * scale).toFixed(0),
      height: (plan.height * scale).toFixed(0),
      role: "group",
      // Listeners for focus make an SVG a stop of its own in Chromium; only its nodes are meant.
      tabindex: "-1",
      "aria-label": drawing.label,
      class: "graph",
    },
    edges,
    nodes,
  );
  // A drawing made anew (another width, a newer answer) does not take the focus from who is in it.
  const held = place.contains(document.activeElement) && document.activeElement.dataset.id;
  place.replaceChildren(svg);
  wire(svg, nodes, edges, choose);
  mark(place, selected());
  if (held) nodes.find((group) => group.dataset.id === held && !group.node.inert)?.focus();
}

/** Show which node is chosen. */
export function mark(place, id) {
  place.querySelectorAll(".node[role=button]").forEach((group) => {
    const chosen = group.dataset.id === id;
    group.classList.toggle("chosen", chosen);
    group.setAttribute("aria-pressed", String(chosen));
  });
}

function wire(svg, nodes, edges, choose) {
  const buttons = nodes.filter((group) => !group.node.inert);
  buttons[0]?.setAttribute("tabindex", "0");
  const clear = () => {
    svg.classList.remove("looking");
    [...nodes, ...edges].forEach((group) => group.classList.remove("near"));
  };
  const look = (event) => {
    const group = event.target.closest?.(".node");
    clear();
    if (!group) return;
    const near = new Set([group.dataset.id]);
    for (const edge of edges) {
      if (!edge.ends.includes(group.dataset.id)) continue;
      edge.classList.add("near");
      edge.ends.forEach((id) => near.add(id));
    }
    nodes.forEach((other) => other.classList.toggle("near", near.has(other.dataset.id)));
    svg.classList.add("looking");
  };
  svg.addEventListener("pointerover", look);
  svg.addEventListener("pointerleave", clear);
  svg.addEventListener("focusin", (event) => {
    if (!buttons.includes(event.target)) return;
    if (event.target.matches(":focus-visible")) look(event);
    buttons.forEach((group) => group.setAttribute("tabindex", group === event.target ? 0 : -1));
  });
  svg.addEventListener("focusout", clear);
  svg.addEventListener("click", (event) => {
    const group = event.target.closest(".node[role=button]");
    if (group) choose?.(group.node);
  });
  svg.addEventListener("keydown", (event) => keys(event, buttons, clear, choose));
}

const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

function keys(event, buttons, clear, choose) {
  const group = event.target.closest?.(".node[role=button]");
  if (!group) return;
  if (event.key === "Escape") clear();
  else if (event.key === "Enter" || event.key === " ") choose?.(group.node);
  else if (event.key === "Home") buttons[0].focus();
  else if (event.key === "End") buttons.at(-1).focus();
  else if (WAYS[event.key]) nearest(group, buttons, WAYS[event.key])?.focus();
  else return;
  event.preventDefault();
}

/** The next node in a direction: near along it, and not far off to the side. */
function nearest(from, buttons, [dx, dy]) {
  let [best, least] = [null, Infinity];
  for (const other of buttons) {
    const [x, y] = [other.centre[0] - from.centre[0], other.centre[1] - from.centre[1]];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (other === from || along < 8 || along + 2 * aside >= least) continue;
    [best, least] = [other, along + 2 * aside];
  }
  return best;
}
