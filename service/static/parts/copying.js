// The menu as text for somebody else: definitions for a provider, or the address of this view.

import { post, Problem } from "./api.js";
import { announce, byId, h } from "./dom.js";

const FORMATS = {
  openai: "OpenAI chat tools",
  "openai-responses": "OpenAI responses tools",
  anthropic: "Anthropic tools",
  mcp: "MCP tools/list",
  "tool-reference": "Anthropic tool_reference",
  "tool-search-output": "OpenAI tool_search_output",
  markdown: "Markdown",
  names: "names",
  json: "spm JSON",
};

/** Wire the buttons once. */
export function actions({ question }) {
  byId("format").append(
    ...Object.entries(FORMATS).map(([value, text]) => h("option", { value }, text)),
  );
  byId("copy").addEventListener("click", async () => {
    const format = byId("format").value;
    try {
      const found = await post("v1/menus", { ...question(), format });
      const text = typeof found === "string" ? found : JSON.stringify(found, null, 2);
      await offer(`Menu as ${FORMATS[format]}`, text);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await offer("The menu cannot be copied", `${error.message} ${error.next}`.trim());
    }
  });
  byId("link").addEventListener("click", () =>
    copied(location.href).then((done) =>
      done ? announce("Link copied.") : offer("Link", location.href),
    ),
  );
  byId("copy-again").addEventListener("click", async () => {
    byId("copied").select();
    say(await copied(byId("copied").value));
  });
}

async function offer(title, text) {
  byId("copy-title").textContent = title;
  byId("copied").value = text;
  byId("copy-said").textContent = "";
  byId("copy-dialog").showModal();
  byId("copied").select();
  say(await copied(text));
}

const say = (done) => {
  byId("copy-said").textContent = done ? "Copied." : "Copy it with Ctrl+C.";
};

/** Whether the clipboard took it; without HTTPS browsers may refuse. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
