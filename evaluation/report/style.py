"""How the page looks, in light and in dark, and the little that moves on it."""

from spm.registry.pictures.svg import CHARTS, THEME

STYLE = (
    f"{THEME}{CHARTS}"
    + """
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
header, section { max-width: 1180px; margin: 0 auto; padding: 0 24px 4px; }
header { padding-top: 28px; }
h1 { font-size: 23px; font-weight: 650; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; font-weight: 650; margin: 14px 0 4px; padding-top: 14px;
  border-top: 1px solid var(--rule); }
h3 { font-size: 13px; font-weight: 600; margin: 0 0 4px; }
p { margin: 0 0 10px; color: var(--soft); font-size: 14px; max-width: 82ch; }
.scroll { overflow-x: auto; margin: 6px 0 14px; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 5px 13px 5px 0; vertical-align: top; border-bottom: 1px solid var(--rule); }
thead th { vertical-align: bottom; font-size: 12.5px; }
tbody th { color: var(--ink); white-space: nowrap; position: sticky; left: 0;
  background: var(--page); }
td small { display: block; color: var(--soft); font-size: 11.5px; white-space: nowrap; }
td b { font-weight: 700; }
td.good b { color: var(--good); } td.bad b { color: var(--bad); }
tr.paths th, tr.paths td { color: var(--soft); font-style: italic; }
ul.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 4px 0 12px; padding: 0;
  list-style: none; font-size: 13.5px; }
ul.legend li { display: flex; align-items: center; gap: 7px; }
svg.key { width: 34px; height: 12px; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 14px;
  margin: 6px 0 16px; }
figure { margin: 0; padding: 10px 12px 6px; background: var(--card); border: 1px solid var(--rule);
  border-radius: 8px; }
figcaption { font-size: 13.5px; font-weight: 600; margin-bottom: 4px; }
figure svg { display: block; width: 100%; height: auto; font-family: inherit; }
.name { font-size: 11px; fill: var(--ink); }
.soft { opacity: .85; font-size: 9.5px; }
.whisker { fill: none; stroke: var(--c); stroke-width: 1.6; opacity: .5; }
circle, rect, g > path:not(.whisker):not(.grid):not(.zero), .key path:not(.stroke) {
  fill: var(--c); stroke: var(--c); }
.hollow { fill: var(--card) !important; stroke-width: 1.6; }
form { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; margin: 4px 0 10px;
  font-size: 13.5px; color: var(--soft); }
form[hidden] { display: none; }
select, input { font: inherit; color: var(--ink); background: var(--card); padding: 3px 7px;
  border: 1px solid var(--rule); border-radius: 6px; }
details.r { border-bottom: 1px solid var(--rule); }
details.r summary { cursor: pointer; padding: 7px 2px; display: grid; gap: 2px 14px;
  grid-template-columns: minmax(0, 1fr) auto; }
.q { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
details[open] .q { white-space: normal; overflow-wrap: anywhere; }
.m { color: var(--soft); font-size: 12.5px; grid-column: 1; }
.b { grid-column: 2; grid-row: 1 / span 2; display: flex; flex-wrap: wrap; gap: 5px;
  align-items: center; justify-content: flex-end; max-width: 46vw; }
.b span { font-size: 12px; padding: 1px 8px; border-radius: 9px; white-space: nowrap;
  background: var(--badback); color: var(--bad); }
.b span.all { background: var(--goodback); color: var(--good); }
.path { overflow-wrap: anywhere; font-size: 13.5px; color: var(--ink); max-width: none;
  padding: 0 2px; }
.menus { display: grid; grid-template-columns: repeat(auto-fill, minmax(232px, 1fr)); gap: 10px;
  padding: 0 2px 14px; }
.menus div { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 8px 12px; min-width: 0; }
.menus ol { margin: 0; padding-left: 26px; font-size: 13px; color: var(--soft); }
.menus li { overflow-wrap: anywhere; }
.menus li.g { color: var(--good); font-weight: 600; }
.menus li.g i { font-style: normal; font-weight: 400; font-size: 11.5px; padding: 0 5px;
  margin-left: 4px; border-radius: 7px; background: var(--goodback); white-space: nowrap; }
.menus p { margin: 6px 0 0; font-size: 13px; color: var(--bad); overflow-wrap: anywhere; }
details.more { margin: 8px 0 14px; font-size: 14px; }
details.more > summary { cursor: pointer; color: var(--soft); padding: 4px 0; }
dl { font-size: 13.5px; margin: 6px 0; max-width: 92ch; }
dt { font-weight: 600; } dd { margin: 0 0 6px; color: var(--soft); }
@media (max-width: 640px) { .b { grid-column: 1; grid-row: auto; justify-content: flex-start;
  max-width: none; } header, section { padding-left: 14px; padding-right: 14px; } }
@media print { form { display: none; } }
"""
)

# Reads only what this program wrote into attributes; texts of requests and tools stay texts.
SCRIPT = """
const form = document.getElementById("choose");
if (form) {
  const rows = [...document.querySelectorAll("details.r")];
  const words = rows.map((row) => row.firstElementChild.textContent.toLowerCase());
  const pick = (name) => (form.elements[name] ? form.elements[name].value : "");
  const apply = () => {
    const at = Number(pick("who") || 0) * Number(form.dataset.measures) + Number(pick("on") || 0);
    const how = pick("how"), length = pick("length"), seen = pick("seen");
    const sought = pick("text").toLowerCase();
    let shown = 0;
    rows.forEach((row, i) => {
      const there = (!how || row.dataset.o[at] === how) && (!length || row.dataset.n === length)
        && (!seen || row.dataset.s === seen) && words[i].includes(sought);
      row.hidden = !there;
      shown += there;
    });
    document.getElementById("shown").textContent = shown + " of " + rows.length;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
"""
