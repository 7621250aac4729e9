// Numbers with names, as small bars; those below zero go to the left.

import { h } from "./dom.js";

/** A table of named numbers, the weightiest first; numbers that are zero are left out. */
export function bars(values, names = {}) {
  const rows = Object.entries(values).filter(([, value]) => Math.abs(value) >= 0.0005);
  rows.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const most = Math.max(1, ...rows.map(([, value]) => Math.abs(value)));
  return h(
    "table",
    { class: "bars" },
    h(
      "tbody",
      {},
      rows.map(([name, value]) => {
        const bar = h("span", { class: value < 0 ? "bar minus" : "bar" });
        bar.style.width = `${(100 * Math.abs(value)) / most}%`;
        return h(
          "tr",
          {},
          h("th", { scope: "row", title: name }, names[name] || name),
          h("td", { class: "track", "aria-hidden": "true" }, bar),
          h("td", { class: "number" }, value.toFixed(Math.abs(value) < 0.01 ? 4 : 2)),
        );
      }),
    ),
  );
}
