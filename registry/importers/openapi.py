"""Read an OpenAPI document (3.0, 3.1, 3.2) or Swagger 2.0: one tool for each operation.

What cannot be mapped is said in the notes; only a document without any usable operation fails.
Nothing is fetched: references to other documents need `remote`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from spm.registry.catalog.effects import of_operation
from spm.registry.catalog.naming import fold
from spm.registry.errors import ManifestError
from spm.registry.importers.arazzo import answered, place_of
from spm.registry.importers.inline_refs import write_out
from spm.registry.importers.json_schema import Found, Schemas, Shape
from spm.registry.importers.nouns import ambiguous_nouns, named_nouns
from spm.registry.importers.openapi_operations import (
    FORMS,
    checked,
    family_of,
    is_needed,
    object_of,
    own_name,
    owner_of,
    placed,
    rank_of,
)
from spm.registry.importers.openapi_resources import Input, ResourceReader
from spm.registry.importers.openapi_security import Security
from spm.registry.importers.references import Notes, References, clean
from spm.registry.importers.source import Link, Source
from spm.registry.map.resources import Reading
from spm.registry.models import InputSpec, Manifest, ServiceSpec, ToolSpec

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
MAX_TOOLS = 50_000
_BODIES = ("body", "formData", "querystring")
# What a parameter of 2.0 says of its value.
_OLD_KEYWORDS = frozenset(
    "type format items default enum minimum maximum exclusiveMinimum exclusiveMaximum minLength "
    "maxLength pattern minItems maxItems uniqueItems multipleOf description".split()
)


def read_openapi(
    document: object,
    name: str,
    service: str | None = None,
    *,
    remote: Callable[[str], object] | None = None,
) -> Source:
    """Read a document that was loaded from JSON or YAML.

    Args:
        document: the document.
        name: where it comes from, for messages and the source's name.
        service: who provides the tools; without it, made of the title.
        remote: answers the document at an address; without it no other document is opened.

    Raises:
        ManifestError: this is no OpenAPI document, or nothing in it can be used.
    """
    api = _Api(checked(document, name), name, remote)
    drafts = api.drafts()
    tools = [tool for draft in drafts if (tool := api.tool(draft))]
    kept = {tool.name for tool in tools}
    if not tools:
        raise ManifestError(f"{name}: describes no operation that can be used as a tool.")
    if len(tools) > MAX_TOOLS:
        raise ManifestError(f"{name}: {len(tools):,} operations; the limit is {MAX_TOOLS:,}.")
    links = tuple(
        dict.fromkeys(
            link for link in api.links(drafts) if link.producer in kept and link.consumer in kept
        )
    )
    try:
        manifest = Manifest(spm=1, service=api.service(service), tools=tuple(tools))
    except ValidationError as error:
        raise ManifestError(f"{name} is not valid: {_reason(error)}.") from error
    notes = (*api.notes.sentences(), *api.references.notes.sentences())
    return Source(name, "openapi", manifest, links, (), notes, api.readings(drafts, kept))


@dataclass
class _Draft:
    """An operation on its way to a tool."""

    name: str
    method: str
    path: str
    item: dict[str, Any]
    operation: dict[str, Any]
    outputs: list[Found] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    response: object = None


class _Api:
    """One document, with what is known of it so far."""

    def __init__(
        self, document: dict[str, Any], name: str, remote: Callable[[str], object] | None
    ) -> None:
        self.document, self.name = document, name
        self.notes = Notes()
        self.references = References(document, remote)
        components = _dict(_dict(document.get("components")).get("schemas"))
        names = components or _dict(document.get("definitions"))
        named = named_nouns(_dict(document.get("paths")))
        self.schemas = Schemas(self.references, self.notes, ambiguous_nouns(names), named)
        self._written: dict[tuple[int, bool], tuple[Shape, dict[str, Any]]] = {}
        self.old = "swagger" in document and "openapi" not in document
        self.security = Security(document, self.follow)

    def service(self, given: str | None) -> ServiceSpec:
        info = _dict(self.document.get("info"))
        title = self.schemas.text(info.get("title"))
        contact = _dict(info.get("contact"))
        return ServiceSpec(
            name=given or _slug(title) or _slug(self.name) or "api",
            title=title,
            description=self.schemas.text(info.get("description")),
            owner=self.schemas.text(contact.get("name"), 256),
        )

    def drafts(self) -> list[_Draft]:
        drafts: list[_Draft] = []
        taken: set[str] = set()
        for path, method, item, operation in self._operations():
            name = self._name(operation, method, path)
            unique, number = name, 2
            while unique in taken:
                unique, number = f"{name[:250]}_{number}", number + 1
            if unique != name:
                self.notes.add("Operations that share an operationId got a number", unique)
            taken.add(unique)
            drafts.append(_Draft(unique, method, path, item, operation))
            if "callbacks" in operation:
                self.notes.add("Callbacks are not tools and were left out", unique)
        for hook in _dict(self.document.get("webhooks")):
            self.notes.add("Webhooks are not tools and were left out", str(hook))
        return drafts

    def _operations(self) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
        for path, raw in _dict(self.document["paths"]).items():
            if not isinstance(path, str) or path.startswith("x-"):
                continue
            item = self.follow(raw)
            extra = _dict(item.get("additionalOperations"))
            for method, operation in [*((m, item.get(m)) for m in METHODS), *extra.items()]:
                if isinstance(operation, dict):
                    yield path, clean(str(method))[:20].lower(), item, operation
                elif operation is not None:
                    self.notes.add("Operations that are not objects", f"{method} {path}")

    def _name(self, operation: dict[str, Any], method: str, path: str) -> str:
        given = operation.get("operationId")
        name = " ".join(clean(given).split()) if isinstance(given, str) else ""
        if not fold(name):
            name = fold(f"{method} {clean(path)}")
            self.notes.add("Operations without an operationId are named by method and path", name)
        return name[:256].strip()

    def tool(self, draft: _Draft) -> ToolSpec | None:
        """Make a tool of an operation; None and a note when it cannot be one."""
        operation, text = draft.operation, self.schemas.text
        declared = self._parameters(draft)
        parameters = [p for p in declared if not self.security.is_credential(p)]
        media, body, needed = self._body(draft, parameters)
        flat = self._arguments(parameters, body, needed, flat=True)
        whole = self._arguments(parameters, body, needed, flat=False)
        of = self.schemas.items(self.schemas.shape(body)).noun
        response = draft.response = self._response(draft)
        if response is not None:
            draft.outputs = self.schemas.fields(response, inputs=False, owner=owner_of(draft.path))
        elif draft.method not in ("head", "options"):
            self.notes.add("No JSON response, so no outputs are known", draft.name)
        tags = operation.get("tags")
        tag = text(tags[0], 256) if isinstance(tags, list) and tags else ""
        summary, description = text(operation.get("summary")), text(operation.get("description"))
        name = own_name(draft.name, draft.method, draft.path)
        decided = of_operation(draft.method, draft.path, name, summary, description)
        try:
            return ToolSpec(
                name=draft.name,
                title=summary,
                description=description or summary,
                family=" ".join(tag.split()) or family_of(draft.path),
                status="deprecated" if operation.get("deprecated") is True else "active",
                scopes=self._scopes(operation),
                effects=decided.effects,
                effects_reason=decided.reason,
                effects_derived=True,
                inputs=self._inputs(draft, parameters, flat, of),
                outputs=tuple(found.spec for found in draft.outputs),
                input_schema=self._written_out(whole, draft, inputs=True),
                output_schema=self._written_out(response, draft, inputs=False),
                call=self._call(draft, declared, media),
            )
        except ValidationError as error:
            self.notes.add(f"Left out, because it is not valid ({_reason(error)})", draft.name)
            return None

    def follow(self, node: object) -> dict[str, Any]:
        """What a reference object stands for; an empty object when it is none."""
        seen: set[str] = set()
        while isinstance(node, dict) and isinstance(reference := node.get("$ref"), str):
            if reference in seen or len(seen) > 30:
                self.notes.add("References that go in a circle", reference)
                return {}
            seen.add(reference)
            node = self.references(reference)
        return _dict(node)

    def _parameters(self, draft: _Draft) -> list[dict[str, Any]]:
        """The parameters of the operation; those of the path hold unless it says otherwise."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for owner in (draft.item, draft.operation):
            raw = owner.get("parameters")
            for parameter in map(self.follow, raw if isinstance(raw, list) else ()):
                name, place = parameter.get("name"), parameter.get("in")
                if isinstance(name, str) and isinstance(place, str) and fold(clean(name)):
                    found[name, place] = parameter
                else:
                    self.notes.add("Parameters without a usable name or place", draft.name)
        return list(found.values())

    def _body(self, draft: _Draft, parameters: list[dict[str, Any]]) -> tuple[str, object, bool]:
        """Media type, schema and necessity of the request body; 2.0 has it among parameters."""
        forms = [p for p in parameters if p["in"] == "formData"]
        if forms:
            return FORMS[0], object_of(forms, lambda p: p), any(is_needed(p) for p in forms)
        for parameter in parameters:
            if parameter["in"] == "body":
                schema = parameter.get("schema")
                return "application/json", schema, self._is_body_needed(parameter, schema)
            if parameter["in"] == "querystring":
                media, schema = self._content(parameter.get("content"))
                return media, schema, is_needed(parameter)
        request = self.follow(draft.operation.get("requestBody"))
        media, schema = self._content(request.get("content"))
        if request and schema is None:
            self.notes.add("Request bodies without a JSON or form schema", draft.name)
        return media, schema, self._is_body_needed(request, schema)

    def _is_body_needed(self, said: dict[str, Any], schema: object) -> bool:
        """Whether a body must be sent.

        Many documents list the properties that a body requires and leave out that the body itself
        is: nobody who wrote such a list meant that it may be empty.
        """
        implied = "required" not in said and bool(self.schemas.shape(schema).required)
        return is_needed(said) or implied

    def _content(self, content: object) -> tuple[str, object]:
        known = {str(key).partition(";")[0].strip().lower(): key for key in _dict(content)}
        ranked = sorted((rank, media) for media in known if (rank := rank_of(media)) is not None)
        for _, media in ranked:
            entry = self.follow(_dict(content)[known[media]])
            if isinstance(schema := entry.get("schema"), dict):
                return media, schema
            if isinstance(item := entry.get("itemSchema"), dict):
                return media, {"type": "array", "items": item}
        return "", None

    def _response(self, draft: _Draft) -> object:
        """The schema of the first response that stands for success and has one."""
        responses = {str(k): v for k, v in _dict(draft.operation.get("responses")).items()}
        good = sorted(code for code in responses if re.fullmatch(r"2[0-9Xx]{2}", code))
        for code in good or (["default"] if "default" in responses else []):
            response = self.follow(responses[code])
            if self.old:
                makes = draft.operation.get("produces", self.document.get("produces"))
                kinds = [str(m).partition(";")[0] for m in makes] if isinstance(makes, list) else []
                usable = not kinds or any(rank_of(kind.strip().lower()) == 0 for kind in kinds)
                schema = response.get("schema") if usable else None
            else:
                schema = self._content(response.get("content"))[1]
            if isinstance(schema, dict) and schema:
                return schema
        return None

    def _arguments(
        self, parameters: list[dict[str, Any]], body: object, needed: bool, *, flat: bool
    ) -> dict[str, Any]:
        """One object of all arguments, so that no name is taken twice.

        Args:
            parameters: of the operation.
            body: the schema of the request body.
            needed: whether the body must be sent.
            flat: whether an array of objects in the body stands for the objects.
        """
        direct = [p for p in parameters if p["in"] not in _BODIES]
        arguments = object_of(direct, self._schema_of)
        shape = self.schemas.shape(body)
        shape = self.schemas.items(shape) if flat else shape
        if body is not None and not shape.properties and not self._is_empty(body):
            shape = Shape(properties={"body": body}, required={"body"})
        for name, schema in shape.properties.items():
            arguments["properties"].setdefault(name, schema)
        arguments["required"] += sorted(shape.required) if needed else []
        return arguments

    def _is_empty(self, body: object) -> bool:
        """Whether a body is an object without properties: generators write one for every GET."""
        schema = self.follow(body)
        return schema.get("properties") == {} and not schema.get("additionalProperties")

    def _inputs(
        self, draft: _Draft, parameters: list[dict[str, Any]], arguments: dict[str, Any], of: str
    ) -> tuple[InputSpec, ...]:
        places = {p["name"]: p["in"] for p in parameters}
        found = self.schemas.fields(arguments, inputs=True, owner=of or owner_of(draft.path))
        specs = tuple(placed(f, draft.path, places) for f in found)
        draft.inputs = [
            _input(one, spec, places, arguments) for one, spec in zip(found, specs, strict=True)
        ]
        return specs

    def _schema_of(self, parameter: dict[str, Any]) -> dict[str, Any]:
        schema = parameter.get("schema")
        if schema is None and "content" in parameter:
            schema = self._content(parameter["content"])[1]
        if schema is None and self.old:
            schema = {k: v for k, v in parameter.items() if k in _OLD_KEYWORDS}
        said = ("description", "deprecated", "example", "examples")
        more = {k: v for k, v in parameter.items() if k in said}
        plain = {k: v for k, v in _dict(schema).items() if k not in ("readOnly", "writeOnly")}
        if "$ref" in plain and self.schemas.shape(plain).read_only:
            plain = {k: v for k, v in self.follow(plain).items() if k != "readOnly"}
        return {**plain, **more}

    def _scopes(self, operation: dict[str, Any]) -> tuple[str, ...]:
        asked = self.security.scopes(operation)
        texts = (" ".join(self.schemas.text(scope, 256).split()) for scope in asked)
        return tuple(dict.fromkeys(text for text in texts if fold(text)))

    def _call(self, draft: _Draft, parameters: list[dict[str, Any]], media: str) -> dict[str, Any]:
        call: dict[str, Any] = {
            "format": "openapi",
            "method": draft.method.upper(),
            "path": clean(draft.path),
            "server": self._server(draft),
        }
        places = {clean(p["name"]): clean(p["in"]) for p in parameters if p["in"] != "body"}
        return (
            call | ({"parameters": places} if places else {}) | ({"body": media} if media else {})
        )

    def _server(self, draft: _Draft) -> str:
        if self.old:
            host, base = self.document.get("host"), self.document.get("basePath")
            schemes = self.document.get("schemes")
            usual = schemes if isinstance(schemes, list) and schemes else ["https"]
            scheme = "https" if "https" in usual else str(usual[0])
            at = f"{scheme}://{host}" if isinstance(host, str) else ""
            return clean(at + (base if isinstance(base, str) else ""))
        for owner in (draft.operation, draft.item, self.document):
            servers = owner.get("servers")
            if isinstance(servers, list) and servers and isinstance(servers[0], dict):
                url = clean(str(servers[0].get("url", "")))
                for name, variable in _dict(servers[0].get("variables")).items():
                    url = url.replace(f"{{{name}}}", clean(str(_dict(variable).get("default", ""))))
                return re.sub(r"//[^/@]*@", "//", url)  # a password has no business here
        return ""

    def _written_out(self, schema: object, draft: _Draft, *, inputs: bool) -> dict[str, Any] | None:
        """A schema that needs no other, smaller and smaller until it fits."""
        if schema is None:
            return None
        shape = self.schemas.shape(schema)
        if (id(shape), inputs) in self._written:
            return self._written[id(shape), inputs][1]
        result, shortened = write_out(self.schemas, shape, inputs=inputs)
        if shortened:
            self.notes.add("Schemas that are circular or large were shortened", draft.name)
        self._written[id(shape), inputs] = (shape, result)
        return result

    def readings(self, drafts: list[_Draft], kept: set[str]) -> dict[str, Reading]:
        """What the operations do to which resources, by tool name."""
        responses = {draft.name: draft.response for draft in drafts}
        reader = ResourceReader(self.schemas, drafts, responses)
        return {d.name: reader.read(d, d.inputs) for d in drafts if d.name in kept}

    def links(self, drafts: list[_Draft]) -> Iterator[Link]:
        """The edges that the document declares itself."""
        by_id = {d.operation.get("operationId"): d for d in reversed(drafts) if _has_id(d)}
        by_place = {(d.method, d.path): d for d in drafts}
        for draft in drafts:
            for response in _dict(draft.operation.get("responses")).values():
                for raw in _dict(self.follow(response).get("links")).values():
                    link = self.follow(raw)
                    target = by_id.get(link["operationId"]) if _has_id(link) else None
                    target = target or by_place.get(place_of(link.get("operationRef")))
                    if target is None:
                        self.notes.add("Links to operations that are not here", draft.name)
                    else:
                        yield from _edges(link, draft, target)


def _input(
    found: Found, spec: InputSpec, places: dict[str, str], arguments: dict[str, Any]
) -> Input:
    place = places.get(found.path[0], "body") if len(found.path) == 1 else "body"
    single = len(found.path) == 1
    schema = arguments["properties"].get(found.path[0]) if single else found.schema
    place = "body" if place in _BODIES else place
    return Input(spec.name, found.path, place, spec.type, spec.description, schema)


def _edges(link: dict[str, Any], draft: _Draft, target: _Draft) -> Iterator[Link]:
    body = link.get("requestBody")
    values = {**_dict(link.get("parameters")), **_dict(body)}
    for name, expression in values.items():
        output = answered(expression, {f.path: f.spec.name for f in draft.outputs})
        name = re.sub(r"^(?:path|query|header|cookie)\.", "", clean(str(name)))
        if output and fold(name):
            yield Link(draft.name, output, target.name, name)


def _has_id(thing: Any) -> bool:
    operation = thing.operation if isinstance(thing, _Draft) else thing
    return isinstance(operation.get("operationId"), str)


def _slug(text: str) -> str:
    return re.sub(r"[\W_]+", "-", clean(text).lower()).strip("-")[:100]


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
