// The routes of the service, out of its own description; nothing is loaded from elsewhere.

import { byId, h, replace } from "./parts/dom.js";

const named = (reference) => reference.split("/").pop();

/** A schema in a few words: its type, or the name of what it refers to. */
function typeOf(schema = {}) {
  if (schema.$ref) return named(schema.$ref);
  const many = schema.anyOf ?? schema.oneOf;
  if (many) return many.map(typeOf).join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items)}`;
  if (schema.enum) return schema.enum.join(" | ");
  return schema.const ?? schema.type ?? "any";
}

function resolved(schema, components) {
  return schema?.$ref ? components.schemas[named(schema.$ref)] : schema;
}

function table(rows) {
  if (!rows.length) return null;
  const head = h("tr", {}, ["name", "where", "type", "meaning"].map((text) => h("th", {}, text)));
  const body = rows.map((row) => h("tr", {}, row.map((text) => h("td", {}, String(text ?? "")))));
  return h("table", {}, h("thead", {}, head), h("tbody", {}, body));
}

/** What a route takes: parameters of the address, then the members of its body. */
function taken(operation, components) {
  const rows = (operation.parameters ?? []).map((one) => [
    one.required ? `${one.name} *` : one.name, one.in, typeOf(one.schema), one.description,
  ]);
  const content = operation.requestBody?.content ?? {};
  for (const [media, { schema }] of Object.entries(content)) {
    const whole = resolved(schema, components);
    const members = Object.entries(whole?.properties ?? {});
    if (!members.length) rows.push(["(body)", media, typeOf(schema), ""]);
    for (const [name, member] of members) {
      const needed = whole.required?.includes(name);
      rows.push([needed ? `${name} *` : name, "body", typeOf(member), member.description]);
    }
  }
  return table(rows);
}

function answers(operation) {
  return Object.entries(operation.responses).map(([status, response]) => {
    const [media, found] = Object.entries(response.content ?? {})[0] ?? ["", {}];
    return h("li", {}, h("b", {}, status), ` ${response.description} `, h("span", { class: "soft" },
      `${media} ${found.schema ? typeOf(found.schema) : ""}`));
  });
}

function route(path, method, operation, components) {
  return h("details", { class: "card", id: operation.operationId },
    h("summary", {}, h("b", {}, method.toUpperCase()), " ", h("code", {}, path), ` ${operation.summary ?? ""}`),
    h("p", {}, operation.description ?? ""),
    taken(operation, components),
    h("ul", {}, answers(operation)));
}

async function show() {
  const described = await (await fetch("openapi.json")).json();
  const groups = new Map();
  for (const [path, methods] of Object.entries(described.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "other";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(route(path, method, operation, described.components));
    }
  }
  replace(byId("routes"), [...groups].map(([tag, routes]) => h("section", {}, h("h2", {}, tag), routes)));
}

show().catch(() => replace(byId("routes"), h("p", { class: "problem" }, "openapi.json cannot be read.")));
