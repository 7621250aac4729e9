// Asking the service. Addresses are relative, so that the page also works behind a path of a proxy.

const TOKEN = "spm.token";

/** What the service said instead of an answer: what happened, and what to do next. */
export class Problem extends Error {
  constructor(status, detail, next) {
    super(detail);
    this.status = status;
    this.next = next || "";
  }
}

// Kept for this tab only; gone when it is closed.
export const token = {
  get: () => sessionStorage.getItem(TOKEN) || "",
  set: (value) => (value ? sessionStorage.setItem(TOKEN, value) : sessionStorage.removeItem(TOKEN)),
};

async function problem(response) {
  const said = await response.json().catch(() => ({}));
  const detail = typeof said.detail === "string" ? said.detail : said.title;
  const known = {
    401: "The service asks for a token. Give one under Access.",
    403: "This token does not allow that.",
    429: "The service is busy. Try again in a moment.",
  };
  const text = detail || known[response.status] || `The service answered ${response.status}.`;
  return new Problem(response.status, text, said.next || (detail ? known[response.status] : ""));
}

async function ask(path, options, signal) {
  const headers = { Accept: "application/json", ...options.headers };
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers, signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The service does not answer.", "Is spm serve still running?");
  }
  if (!response.ok) throw await problem(response);
  const kind = response.headers.get("Content-Type") || "";
  return kind.includes("json") ? response.json() : response.text();
}

export const get = (path, params = {}, signal = undefined) => {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return ask(query ? `${path}?${query}` : path, {}, signal);
};

export const post = (path, body, signal = undefined) =>
  ask(
    path,
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    },
    signal,
  );

/** One question at a time: a newer one aborts the one before. */
export function latest() {
  let running = null;
  return async (work) => {
    running?.abort();
    const own = (running = new AbortController());
    try {
      return await work(own.signal);
    } catch (error) {
      if (own.signal.aborted) return undefined;
      throw error;
    }
  };
}

const path = (id) => id.split("/").map(encodeURIComponent).join("/");
export const tool = (id, signal) => get(`v1/tools/${path(id)}`, {}, signal);
export const impact = (name, signal) => get(`v1/impact/${path(name)}`, {}, signal);
