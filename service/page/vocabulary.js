// The fields there are, asked for once: for completion.

import { get } from "./api.js";

let known = null;

/** Rows {field, producers?, consumers?}; an empty list when the service does not say. */
export async function fields() {
  known ??= get("v1/fields", {})
    .then((found) => (found.fields ?? found).map((row) => (typeof row === "string" ? { field: row } : row)))
    .catch(() => {
      known = null;
      return [];
    });
  return known;
}

export function forget() {
  known = null;
}
