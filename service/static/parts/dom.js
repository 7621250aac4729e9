// Making elements. All text goes in as text nodes: what a tool says about itself stays data.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== false));
  return element;
}

/** An HTML element; attributes that begin with "on" are listeners. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export const byId = (id) => document.getElementById(id);

/** Put other children in the place of those that are there. */
export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return element;
}

/** Say something to screen readers without moving the focus. */
export function announce(text) {
  byId("live").textContent = text;
}

/** Call `work` once nothing has happened for a while; `.now()` does not wait. */
export function debounced(work, milliseconds) {
  let timer = 0;
  const later = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds, ...given);
  };
  later.now = (...given) => {
    clearTimeout(timer);
    return work(...given);
  };
  return later;
}

/** Arrow keys, Home and End move the focus through the elements that `select` finds inside. */
export function roving(container, select) {
  container.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    const all = [...container.querySelectorAll(select)];
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, at + step))].focus();
  });
}

/** Text of at most so many characters, on one line. */
export function shortened(text, length) {
  const line = String(text).replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`;
}

export const plural = (count, one, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** The name of a tool without its service. */
export const nameOf = (id) => id.slice(id.indexOf("/") + 1);
