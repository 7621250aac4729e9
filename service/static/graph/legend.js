// What the colours, shapes and lines of a drawing mean; only what is there is listed.

import { h, s } from "../parts/dom.js";
import { outline } from "./shapes.js";
import { LEGEND } from "./route.js";

const EDGES = {
  flows: "a field flows; the wider, the more often seen",
  seen: "seen one after the other",
  asked: "somebody has to say it",
  then: "comes next",
};

/** List items for the kinds in a drawing. */
export function legend(drawing, kinds = LEGEND, edges = EDGES) {
  const nodes = new Set(drawing.nodes.map((node) => node.kind));
  const lines = new Set(drawing.edges.map((edge) => edge.kind));
  return [
    ...Object.entries(kinds)
      .filter(([kind]) => nodes.has(kind))
      .map(([kind, [shape, text]]) =>
        h(
          "li",
          {},
          s(
            "svg",
            { viewBox: "-15 -10 30 20", width: 30, height: 20, "aria-hidden": "true" },
            s(
              "g",
              { class: `node ${kind}` },
              outline(shape, 26, 15).map((d, i) => s("path", { d, class: i ? "inner" : "outer" })),
            ),
          ),
          text,
        ),
      ),
    ...Object.entries(edges)
      .filter(([kind]) => lines.has(kind))
      .map(([kind, text]) =>
        h(
          "li",
          {},
          s(
            "svg",
            { viewBox: "0 0 30 20", width: 30, height: 20, "aria-hidden": "true" },
            s(
              "g",
              { class: `edge ${kind}` },
              s("path", { d: "M2 10H24", "stroke-width": 2 }),
              s("polygon", { points: "29,10 21,6.5 21,13.5" }),
            ),
          ),
          text,
        ),
      ),
  ];
}
