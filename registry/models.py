"""The input models: tools, services and traces. Unknown keys are refused."""

import hashlib
import json
from collections import Counter
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from spm.registry.catalog.naming import fold, invisible
from spm.registry.traces.data_flow import flows, marks
from spm.registry.traces.redaction import MAX_NAMES, Call, shape

FieldType = Literal["string", "integer", "number", "boolean", "array", "object"]
Status = Literal["active", "deprecated", "quarantined"]
Visibility = Literal["public", "team", "private"]
Effects = Literal["read", "write", "destructive"]


def _visible(text: str) -> str:
    if found := invisible(text.replace("\n", " ").replace("\t", " ")):
        raise ValueError(f"contains the invisible character {found}; remove it")
    return text


def _named(name: str) -> str:
    if not fold(name):
        raise ValueError("must contain a letter or a digit")
    if "\n" in name or "\t" in name:
        raise ValueError("must be one line")
    return name


def _without_slash(name: str) -> str:
    if "/" in name:
        raise ValueError("must not contain '/', which separates service and tool")
    return name


def _portable(value: dict[str, Any]) -> dict[str, Any]:
    # A date of YAML, half a character or NaN would only fail later, when it is written.
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"must be plain JSON: {error}") from error
    return value


Object = Annotated[dict[str, Any], AfterValidator(_portable)]
Text = Annotated[str, Field(max_length=20_000), AfterValidator(_visible)]
Name = Annotated[
    str,
    Field(min_length=1, max_length=256),
    AfterValidator(str.strip),
    AfterValidator(_visible),
    AfterValidator(_named),
]
ServiceName = Annotated[Name, AfterValidator(_without_slash)]
# As many as `shape` keeps of arguments and results: whoever sends names alone may send no more.
Observed = Annotated[dict[Name, FieldType], Field(max_length=MAX_NAMES)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class OutputSpec(_Strict):
    """A field that a tool produces."""

    name: Name
    type: FieldType = "string"
    description: Text = ""
    of: Annotated[str, Field(max_length=256), AfterValidator(_visible)] = Field(
        default="", description="What a generic name belongs to: id of order is order_id"
    )


class InputSpec(OutputSpec):
    """A field that a tool takes."""

    required: bool = True


class ServiceSpec(_Strict):
    """Who provides the tools."""

    name: ServiceName
    title: Text = ""
    description: Text = ""
    owner: Text = ""


def _service(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class ToolSpec(_Strict):
    """One tool as its owner describes it."""

    name: Name
    title: Text = ""
    description: Text = ""
    version: (
        Annotated[
            str,
            Field(min_length=1, max_length=64),
            AfterValidator(_visible),
            AfterValidator(_named),
        ]
        | None
    ) = Field(default=None, description="Left out, spm numbers the versions: 1, 2, 3 …")
    family: Annotated[str, Field(max_length=256), AfterValidator(_visible)] = Field(
        default="", description="What kind of thing the tool works on, for example: order"
    )
    status: Status = "active"
    successor: Name | None = Field(default=None, description="What to use instead, when deprecated")
    owner: Text = ""
    visibility: Visibility = "public"
    scopes: tuple[Name, ...] = ()
    effects: Effects = "read"
    # What an importer found out about the effects. Both are no content, so that better rules make
    # no new version; both are written beside the definition.
    effects_reason: Annotated[str, Field(max_length=1_000), AfterValidator(_visible)] = Field(
        default="", exclude=True, description="Why, in a few words"
    )
    effects_derived: bool = Field(
        default=False, exclude=True, description="Whether spm derived them and nobody states them"
    )
    inputs: tuple[InputSpec, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    input_schema: Object | None = Field(
        default=None, description="The JSON Schema of the arguments, as the source gave it"
    )
    output_schema: Object | None = Field(
        default=None, description="The JSON Schema of the result, as the source gave it"
    )
    call: Object | None = Field(
        default=None, description="How to reach the tool: format, method, path, server …"
    )

    @model_validator(mode="after")
    def _fields_are_distinct(self) -> "ToolSpec":
        for kind, specs in (("inputs", self.inputs), ("outputs", self.outputs)):
            folded = [fold(spec.name) for spec in specs]
            if twice := sorted({name for name in folded if folded.count(name) > 1}):
                raise ValueError(f"{kind} name the same field twice: {', '.join(twice)}")
        return self

    def definition(self) -> dict[str, Any]:
        """Everything a model could see of the tool; the version is a label, not content.

        Defaults are left out, so that a later spm with more keys finds the same content.
        """
        return self.model_dump(mode="json", exclude={"version"}, exclude_defaults=True)

    def content_hash(self, service: str) -> str:
        """SHA-256 over the definition in canonical JSON; the order of fields is no content.

        Nor are effects that spm derived: they follow from the content, by rules that improve. That
        they are derived is content, so that a source cannot begin to state them unseen.
        """
        return self._hash(service, "derived" if self.effects_derived else self.effects)

    def has_content(self, content: str, service: str) -> bool:
        """Whether a hash is one of this content; earlier versions hashed derived effects too."""
        if content == self.content_hash(service):
            return True
        earlier = get_args(Effects) if self.effects_derived else ()
        return any(content == self._hash(service, effects) for effects in earlier)

    def _hash(self, service: str, effects: str) -> str:
        said = _ordered(self.definition())
        said.pop("effects", None)
        if effects != "read":  # the default, which is left out
            said["effects"] = effects
        for kind in ("inputs", "outputs"):
            if kind in said:
                said[kind] = sorted(said[kind], key=lambda spec: str(spec["name"]))
        return digest({"service": service, **said})


class Manifest(_Strict):
    """A service and its tools: the project's own format."""

    spm: Literal[1] = Field(description="Version of the manifest format")
    service: Annotated[ServiceSpec, BeforeValidator(_service)] = Field(
        description="The providing service: a name, or name, title, description and owner"
    )
    tools: tuple[ToolSpec, ...] = Field(min_length=1, max_length=50_000)

    def fingerprint(self) -> str:
        """A quick digest of the whole; equal means unchanged, unequal means: compare the tools."""
        derived = [number for number, tool in enumerate(self.tools) if tool.effects_derived]
        said = self.model_dump_json(exclude_defaults=True) + (repr(derived) if derived else "")
        return hashlib.sha256(said.encode()).hexdigest()

    @model_validator(mode="after")
    def _names_are_distinct(self) -> "Manifest":
        names = [tool.name for tool in self.tools]
        if twice := [name for name, count in Counter(names).items() if count > 1][:5]:
            raise ValueError(f"several tools share a name: {', '.join(map(repr, twice))}")
        return self


class Step(_Strict):
    """One call of a trace. Of arguments and results only field names and types are kept."""

    tool: Name
    ok: bool = True
    takes: Observed = Field(default_factory=dict, description="Fields of the arguments")
    gives: Observed = Field(default_factory=dict, description="Fields of the result")

    @model_validator(mode="before")
    @classmethod
    def _without_values(cls, data: Any) -> Any:
        """Reduce arguments and result to their shape before anything can see a value."""
        if not isinstance(data, dict) or not {"arguments", "result"} & data.keys():
            return data
        kept = {key: value for key, value in data.items() if key not in ("arguments", "result")}
        kept.setdefault("takes", shape(data.get("arguments")))
        kept.setdefault("gives", shape(data.get("result")))
        return kept


class Flow(_Strict):
    """An argument whose value stood in the result of an earlier step; steps count from 0."""

    source: int = Field(ge=0)
    output: Name
    target: int
    input: Name


def _in_range(time: datetime) -> datetime:
    # Four-digit years that stay in range when they are brought to UTC, so that texts sort as times.
    if not 1000 <= time.year <= 9998:
        raise ValueError("must be between the years 1000 and 9998")
    return time


def _step(value: object) -> object:
    return {"tool": value} if isinstance(value, str) else value


def _seen(step: object) -> Call:
    """The values of a step as marks; what is no step is refused elsewhere."""
    if not isinstance(step, dict):
        return Call("")
    took, gave = marks(step.get("arguments")), marks(step.get("result"))
    return Call("", bool(step.get("ok", True)), took=took, gave=gave)


class Trace(_Strict):
    """One line of a trace file: a request and the calls that answered it."""

    trace_id: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    # Empty when a trace did not record it: such a trajectory counts, but resembles no request.
    request: Annotated[str, Field(max_length=20_000)]
    steps: tuple[Annotated[Step, BeforeValidator(_step)], ...] = Field(
        min_length=1, max_length=1_000
    )
    success: bool = True
    source: Text = ""
    time: Annotated[datetime, AfterValidator(_in_range)] | None = None
    flows: tuple[Flow, ...] = Field(
        default=(), max_length=100_000, description="Which result which argument came from"
    )

    @model_validator(mode="before")
    @classmethod
    def _without_values(cls, data: Any) -> Any:
        """See which arguments came from which results, before the steps lose their values."""
        if not isinstance(data, dict) or "flows" in data or not isinstance(data.get("steps"), list):
            return data
        calls = [_seen(step) for step in data["steps"]]
        found = flows(str(data.get("request", "")), calls)
        return {**data, "flows": [flow._asdict() for flow in found]} if found else data

    @model_validator(mode="after")
    def _flows_lead_onwards(self) -> "Trace":
        for flow in self.flows:
            if not flow.source < flow.target < len(self.steps):
                raise ValueError("a flow must lead from a step to a later one")
        return self

    def moment(self) -> str | None:
        """When it happened, as UTC in ISO 8601, so that text order is time order."""
        if self.time is None:
            return None
        zoned = self.time if self.time.tzinfo else self.time.replace(tzinfo=UTC)
        return zoned.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def identity(self) -> str:
        """The given id, or one made of the content, so that a second import finds it again."""
        observed: dict[str, Any] = {"flows": True, "steps": {"__all__": {"takes", "gives"}}}
        said = self.model_dump(mode="json", exclude=observed)
        return self.trace_id or f"sha256:{digest(said)[:32]}"


def _ordered(value: Any) -> Any:
    """A JSON value in which the lists that are really sets stand in one order."""
    if isinstance(value, dict):
        return {
            key: sorted(item, key=str)
            if key in ("required", "scopes") and isinstance(item, list)
            else _ordered(item)
            for key, item in value.items()
        }
    return [_ordered(item) for item in value] if isinstance(value, list) else value


# Made once: json.dumps would build an encoder for every call.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: object) -> str:
    """SHA-256 of a JSON value in canonical form."""
    return hashlib.sha256(_CANONICAL.encode(value).encode()).hexdigest()


def tool_id(service: str, name: str) -> str:
    """The id under which a tool is known everywhere."""
    return f"{service}/{name}"
