// A text box that suggests: the combobox pattern of the ARIA practices, with a list below.

import { debounced, h, replace } from "./dom.js";
import { latest } from "./api.js";

let count = 0;

/**
 * @param {string} label what it is for
 * @param {(text: string, signal: AbortSignal) => Promise<{value, label, note?}[]>} search
 * @param {(value: string) => void} choose
 * @param {boolean} free whether what was typed may be taken as it is
 */
export function combo({ label, placeholder = "", search, choose, free = false }) {
  count += 1;
  const id = `combo-${count}`;
  const ask = latest();
  let options = [];
  let at = -1;
  const input = h("input", {
    id,
    type: "text",
    role: "combobox",
    placeholder,
    maxlength: 300,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": label,
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": `${id}-list`,
  });
  const list = h("ul", { id: `${id}-list`, role: "listbox", "aria-label": label, hidden: true });

  const open = (yes) => {
    list.hidden = !yes;
    input.setAttribute("aria-expanded", String(yes));
    if (!yes) point(-1);
  };
  const point = (next) => {
    at = next;
    [...list.children].forEach((item, i) => {
      item.setAttribute("aria-selected", String(i === at));
      if (i === at) item.scrollIntoView({ block: "nearest" });
    });
    if (at >= 0) input.setAttribute("aria-activedescendant", `${id}-${at}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const take = (value) => {
    input.value = "";
    open(false);
    choose(value);
  };
  const look = async () => {
    const found = await ask((signal) => search(input.value.trim(), signal)).catch(() => []);
    if (found === undefined || document.activeElement !== input) return;
    options = found;
    replace(
      list,
      found.map((option, i) =>
        h(
          "li",
          {
            id: `${id}-${i}`,
            role: "option",
            "aria-selected": "false",
            onpointerdown: (event) => {
              event.preventDefault();
              take(option.value);
            },
          },
          h("span", {}, option.label),
          option.note ? h("span", { class: "soft" }, option.note) : null,
        ),
      ),
    );
    open(found.length > 0);
  };
  const later = debounced(look, 140);
  input.addEventListener("input", later);
  input.addEventListener("focus", later);
  input.addEventListener("blur", () => open(false));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) later.now();
      else point((at + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const chosen = options[at]?.value ?? exact(options, input.value.trim(), free);
      if (chosen) take(chosen);
    } else if (event.key === "Escape") {
      if (!list.hidden) event.stopPropagation();
      open(false);
    }
  });
  return h("div", { class: "combo" }, input, list);
}

/** What Enter means when nothing is pointed at: the option of that name, the only one, or the text. */
function exact(options, text, free) {
  if (!text) return undefined;
  const named = options.find((option) => option.value === text || option.label === text);
  if (named) return named.value;
  if (options.length === 1) return options[0].value;
  return free ? text : options[0]?.value;
}
