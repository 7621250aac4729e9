// Names by their beginnings, for completion: the service knows them all, also of large registries.

import { get } from "./api.js";

/** Options for a combobox; `kinds` some of "tool", "field" and "family". */
export async function complete(text, kinds, signal) {
  const query = new URLSearchParams([["q", text], ...kinds.map((kind) => ["kind", kind])]);
  const found = await get(`v1/names?${query}`, {}, signal);
  return found.map((match) => ({
    value: match.id,
    label: match.name,
    note: kinds.length > 1 ? `${match.kind} · ${match.note}` : match.note,
    kind: match.kind,
  }));
}
