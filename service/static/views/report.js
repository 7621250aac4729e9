// The report view: the evaluation report that the operator named, or how to make one.

import { get, Problem, token } from "../parts/api.js";
import { byId, h, replace } from "../parts/dom.js";

let asked = false;

export async function show() {
  if (asked) return;
  asked = true;
  const place = byId("report");
  const title = h("h1", { id: "report-title" }, "Evaluation report");
  replace(place, title, h("p", { class: "soft" }, "…"));
  try {
    const text = await get("report");
    replace(place, title, token.get() ? download(text) : frame());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    replace(
      place,
      title,
      h("p", {}, error.message),
      error.status === 404 ? how() : h("p", { class: "soft" }, error.next),
    );
  }
}

/** A frame sends no token, so that it can only be used where none is needed. */
function frame() {
  return [
    h("p", {}, h("a", { href: "report", target: "_blank", rel: "noopener" }, "Open it alone")),
    h("iframe", {
      src: "report",
      title: "Evaluation report",
      sandbox: "allow-scripts",
      class: "card",
    }),
  ];
}

function download(text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  return h(
    "p",
    {},
    h("a", { class: "button", href: address, download: "spm-report.html" }, "Save the report"),
    h("span", { class: "soft" }, " It opens in any browser."),
  );
}

function how() {
  const step = (text, code) => h("li", {}, text, h("pre", {}, h("code", {}, code)));
  return h(
    "ol",
    {},
    step(
      "Measure menus on the known paths of this registry, and write a report:",
      "spm eval --html report.html",
    ),
    step("Start the service with it:", "spm serve --report report.html"),
  );
}

export function forget() {
  asked = false;
}
