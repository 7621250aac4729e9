// Pieces of the graph in words: to search, to copy and to hear.

import { h, plural, replace } from "../parts/dom.js";
import { hash } from "../parts/place.js";

const SHOWN = 100;

/** The text beside or below a drawing. */
export function inWords(piece, target) {
  if (piece.view === "families") return families(piece, target);
  if (piece.view === "family") return tools(piece, target);
  return ways(piece, target);
}

const link = (node, target, text = node.name) =>
  h("a", { href: hash(target(node)) }, text || "(none)");

function families(piece, target) {
  const most = Math.max(1, ...piece.nodes.map((node) => node.facts.tools));
  const list = h("ol", { class: "families" });
  const more = h("p", { class: "soft" });
  const fill = (text) => {
    const found = piece.nodes.filter((node) => node.name.toLowerCase().includes(text));
    replace(
      list,
      found.slice(0, SHOWN).map((node) => {
        const bar = h("span", { class: "share", "aria-hidden": "true" });
        bar.style.width = `${(100 * node.facts.tools) / most}%`;
        return h(
          "li",
          {},
          bar,
          link(node, target, node.name || "(no family)"),
          h("span", { class: "soft" }, plural(node.facts.tools, "tool")),
        );
      }),
    );
    more.textContent =
      found.length > SHOWN
        ? `The first ${SHOWN} of ${found.length.toLocaleString("en")}; type to find others.`
        : "";
  };
  fill("");
  const total = piece.nodes.reduce((sum, node) => sum + node.facts.tools, 0);
  return h(
    "div",
    {},
    h("h2", {}, plural(piece.nodes.length, "family", "families")),
    h("p", { class: "soft" }, `${plural(total, "tool")} in all`),
    h("label", { class: "unseen", for: "family-filter" }, "Filter families"),
    h("input", {
      id: "family-filter",
      type: "search",
      placeholder: "filter",
      oninput: (event) => fill(event.target.value.toLowerCase()),
    }),
    list,
    more,
  );
}

function tools(piece, target) {
  const known = new Map(piece.nodes.map((node) => [node.id, node]));
  const row = (node) => {
    const takes = piece.edges.filter((edge) => edge.target === node.id);
    const gives = piece.edges.filter((edge) => edge.source === node.id);
    const fields = (edges, end) =>
      edges.map((edge) => [
        link(known.get(edge[end]), target),
        edge.kind === "optional" ? h("span", { class: "soft" }, "?") : null,
        " ",
      ]);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, link(node, target)),
      h("td", {}, fields(takes, "source")),
      h("td", {}, fields(gives, "target")),
      h("td", {}, node.facts.description || ""),
    );
  };
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tools in words" },
    h(
      "table",
      { class: "grid" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["tool", "takes (? can do without)", "gives", "what it does"].map((text) =>
            h("th", { scope: "col" }, text),
          ),
        ),
      ),
      h("tbody", {}, piece.nodes.filter((node) => node.kind === "tool").map(row)),
    ),
  );
}

function ways(piece, target) {
  const known = new Map(piece.nodes.map((node) => [node.id, node]));
  const verbs = {
    produces: "makes",
    requires: "is needed by",
    optional: "is taken by",
    precedes: "was followed by",
    more: "and",
  };
  return h(
    "details",
    { class: "words" },
    h("summary", {}, "The same in words"),
    h(
      "ul",
      { class: "plain" },
      piece.edges.map((edge) =>
        h(
          "li",
          {},
          link(known.get(edge.source), target),
          ` ${verbs[edge.kind]} `,
          link(known.get(edge.target), target),
          edge.kind === "precedes" ? `, seen ${edge.count} times` : "",
        ),
      ),
    ),
  );
}
