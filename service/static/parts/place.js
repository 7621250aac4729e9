// Where the reader is: everything that makes a view is in the address, so that it can be sent on.

export const DEFAULTS = {
  q: "",
  state: [],
  without: [],
  done: [],
  k: 32,
  prefix: 8,
  readonly: false,
  writes: false,
  tool: "",
  family: "",
  field: "",
  find: "",
};

const VIEWS = ["menu", "browse", "health", "report"];

/** Read `#/view?name=value`; what is not understood falls back to the defaults. */
export function read(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const params = new URLSearchParams(query);
  const found = { ...DEFAULTS, view: VIEWS.includes(path) ? path : "menu" };
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    if (!params.has(name)) continue;
    const value = params.get(name);
    if (Array.isArray(usual)) found[name] = params.getAll(name).filter(Boolean);
    else if (typeof usual === "number") found[name] = whole(value, usual);
    else if (typeof usual === "boolean") found[name] = value === "1";
    else found[name] = value;
  }
  return found;
}

function whole(text, usual) {
  const value = Number.parseInt(text, 10);
  return Number.isInteger(value) && value >= 1 && value <= 1000 ? value : usual;
}

/** The address of a place. */
export function hash(place) {
  const params = new URLSearchParams();
  for (const [name, usual] of Object.entries(DEFAULTS)) {
    const value = place[name];
    if (Array.isArray(usual)) value?.forEach((item) => params.append(name, item));
    else if (value !== undefined && value !== usual) {
      params.set(name, value === true ? "1" : String(value));
    }
  }
  const query = params.toString();
  return `#/${place.view || "menu"}${query ? `?${query}` : ""}`;
}

/** Go to a place. Typing replaces the address; everything else is a step that Back undoes. */
export function go(place, { step = true } = {}) {
  const next = hash(place);
  if (next === location.hash) return;
  history[step ? "pushState" : "replaceState"](null, "", next);
  window.dispatchEvent(new Event("placechange"));
}
