// Starts the page and shows the view that the address names.

import { token } from "./parts/api.js";
import * as browse from "./views/browse.js";
import { announce, byId } from "./parts/dom.js";
import * as health from "./views/health.js";
import * as menu from "./views/menu.js";
import { hash, read } from "./parts/place.js";
import * as report from "./views/report.js";

const VIEWS = { menu, browse, health, report };
const TITLES = { menu: "Menu", browse: "Browse", health: "Health", report: "Report" };
let shown = "";

function show() {
  const place = read();
  for (const name of Object.keys(VIEWS)) byId(name).hidden = name !== place.view;
  for (const link of document.querySelectorAll("nav a")) {
    const own = link.dataset.view === place.view;
    if (own) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    // Coming back to a view finds it as it was left.
    if (own) link.href = hash(place);
  }
  document.title = `${place.q && place.view === "menu" ? place.q : TITLES[place.view]} · spm`;
  if (shown && shown !== place.view) announce(`${TITLES[place.view]} view`);
  shown = place.view;
  VIEWS[place.view].show(place);
}

function access() {
  const dialog = byId("access-dialog");
  const button = byId("access");
  const say = () => {
    button.textContent = token.get() ? "Access: token" : "Access";
  };
  button.addEventListener("click", () => {
    byId("token").value = token.get();
    dialog.returnValue = "";
    dialog.showModal();
  });
  // Enter in the field means the last button, not the first.
  byId("token").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    dialog.close("use");
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "use") token.set(byId("token").value.trim());
    else if (dialog.returnValue === "forget") token.set("");
    else return;
    byId("token").value = "";
    say();
    Object.values(VIEWS).forEach((view) => view.forget?.());
    show();
  });
  say();
}

byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
access();
Object.values(VIEWS).forEach((view) => view.start?.());
for (const event of ["hashchange", "placechange"]) window.addEventListener(event, show);
show();
