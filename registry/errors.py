"""Every error that spm raises on purpose, as one tree.

    SpmError                    exit 1
    ├── InputError              what the caller gave cannot be used
    │   ├── ManifestError       a manifest that does not parse or validate
    │   ├── TraceError          a trace file that does not parse or validate
    │   │   └── UnknownStep     a step that names no tool
    │   ├── UnknownTool         a name that no tool carries
    │   ├── AmbiguousTool       a name that several tools carry
    │   ├── UnknownField        a field that no tool requires or produces
    │   ├── UnknownName         a name that neither a tool nor a field carries
    │   ├── VersionConflict     the same version with another content
    │   ├── NotOwned            a service that belongs to another team
    │   ├── ToolInUse           removal would cut observed trajectories
    │   ├── QueryRefused        a query that may not run read-only
    │   └── QueryFailed         a query that the engine could not run
    ├── EncoderError            text vectors that cannot be made or do not fit
    │   └── EncoderMismatch     vectors of two encoders would be mixed
    ├── ModelError              a model that is missing, damaged or made for other inputs
    ├── EndpointError           a language model's endpoint that cannot be used
    │   └── EndpointRefused     a single request that the endpoint does not take
    ├── JudgeError              a judge that gives no verdict
    └── StoreError              exit 3: the store cannot be used
        ├── NoRegistry          nothing was ever written at the place that was named
        ├── StoreUnreachable    nobody answers at the address
        ├── StoreDenied         the server refused the credentials
        ├── StoreLocked         another process is writing
        ├── StoreDamaged        files on disk do not verify
        ├── StoreWriteFailed    a write failed; nothing of it was kept
        ├── OutcomeUnknown      the answer to a commit was lost; safe to repeat
        ├── SchemaTooNew        the store was written by a newer spm
        └── SchemaIncomplete    constraints that spm relies on are missing

Messages say what happened, with the value in quotes, and then what to do.
"""


class SpmError(Exception):
    """Base of all errors that spm raises on purpose."""

    exit_code = 1


class InputError(SpmError):
    """What the caller gave cannot be used."""


class ManifestError(InputError):
    """A manifest does not parse or validate."""


class TraceError(InputError):
    """A trace file does not parse or validate."""


class UnknownStep(TraceError):
    """A step of a trajectory names no tool."""

    def __init__(self, trace: str, name: str, nearest: list[str]) -> None:
        hint = f" Nearest: {nearest[0]!r}." if nearest else ""
        super().__init__(
            f"Trajectory {trace!r} calls {name!r}, which is not registered.{hint} Register it "
            "first, or leave such trajectories out with --skip-unknown. Nothing was imported."
        )
        self.trace, self.name, self.nearest = trace, name, nearest


class UnknownTool(InputError):
    """No tool carries this name."""

    def __init__(self, name: str, nearest: list[str]) -> None:
        hint = f" Nearest: {', '.join(repr(n) for n in nearest)}." if nearest else ""
        super().__init__(f"No tool named {name!r}.{hint} List all with: spm tools list")
        self.name, self.nearest = name, nearest


class AmbiguousTool(InputError):
    """Several tools carry this name."""

    def __init__(self, name: str, ids: list[str]) -> None:
        super().__init__(f"{name!r} names {len(ids)} tools. Say which: {', '.join(ids)}")
        self.name, self.ids = name, ids


class UnknownField(InputError):
    """No tool requires or produces this field."""

    def __init__(self, name: str, nearest: list[str]) -> None:
        hint = f" Nearest: {', '.join(repr(n) for n in nearest)}." if nearest else ""
        super().__init__(f"No tool requires or produces a field {name!r}.{hint}")
        self.name, self.nearest = name, nearest


class UnknownName(InputError):
    """Neither a tool nor a field carries this name."""

    def __init__(self, name: str, nearest: list[str], kind: str = "tool or field") -> None:
        hint = f" Nearest: {', '.join(map(repr, nearest))}." if nearest else ""
        super().__init__(f"No {kind} named {name!r}.{hint}")
        self.name, self.nearest = name, nearest


class VersionConflict(InputError):
    """The same version of a tool was published with another content."""

    def __init__(self, tool: str, version: str) -> None:
        super().__init__(
            f"{tool!r} version {version!r} is already registered with another content, and a "
            "published version never changes. Raise 'version' in the manifest, or leave it out "
            "and spm numbers the versions."
        )
        self.tool, self.version = tool, version


class NotOwned(InputError):
    """A team may register services of its own, and this one is not."""

    def __init__(self, service: str, team: str) -> None:
        super().__init__(
            f"The service {service!r} is there already, and not all of its tools belong to "
            f"{team!r}. Choose another name for the service. Or let the operator hand it over: "
            f"spm tools access '{service}/*' --owner {team}"
        )
        self.service, self.team = service, team


class ToolInUse(InputError):
    """Removal would cut observed trajectories."""

    def __init__(self, tool: str, count: int) -> None:
        super().__init__(
            f"{tool!r} is a step of {count} observed trajectories; removing it cuts them. "
            f"To do it all the same: spm tools remove {tool} --force"
        )
        self.tool, self.count = tool, count


class QueryRefused(InputError):
    """The query may not run: it is not read-only, or uses something outside the allow-list."""


class QueryFailed(InputError):
    """The engine could not run the query."""


class EncoderError(SpmError):
    """Text vectors cannot be made, or do not fit the registry's."""


class ModelError(SpmError):
    """A trained model is missing, damaged, or was made for other inputs."""


class EndpointError(SpmError):
    """The endpoint of a language model cannot be used."""


class EndpointRefused(EndpointError):
    """The endpoint does not take this request; others may still be taken."""


class JudgeError(SpmError):
    """A judge gives no verdict."""


class EncoderMismatch(EncoderError):
    """The registry's vectors were made by another encoder."""

    def __init__(self, made_by: str, given: str) -> None:
        folder, mark, _ = given.partition("#")  # a folder is known by its name and digest
        place = f"/path/to/{folder}" if mark else given
        super().__init__(
            f"The registry's vectors were made by {made_by!r}, not by {given!r}, and vectors of "
            f"two encoders cannot be compared. Make them again with: spm encode --encoder {place}"
        )
        self.made_by, self.given = made_by, given


class StoreError(SpmError):
    """The store cannot be used."""

    exit_code = 3


class NoRegistry(StoreError):
    """Nothing was ever written at the place that was named."""

    def __init__(self, path: str, quoted: str) -> None:
        super().__init__(
            f"No registry at {path!r}. Look for a misspelling, or make one with: "
            f"spm demo --store {quoted}, or: spm tools register SOURCE --store {quoted}"
        )
        self.path = path


class StoreUnreachable(StoreError):
    """Nobody answers at the address."""


class StoreDenied(StoreError):
    """The server refused the credentials."""


class StoreLocked(StoreError):
    """Another process is writing to the embedded store."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(
            f"The store {path!r} is being written by {holder}. Wait until it ends, then repeat."
        )
        self.path, self.holder = path, holder


class StoreDamaged(StoreError):
    """Files on disk do not verify."""


class StoreWriteFailed(StoreError):
    """A write failed and nothing of it was kept."""


class OutcomeUnknown(StoreError):
    """The answer to a commit was lost; repeating with the same operation id is safe."""


class SchemaTooNew(StoreError):
    """The store was written by a newer spm."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"The store has schema {found}, this spm knows up to {known}. "
            "Upgrade with: pip install --upgrade spm-registry. Nothing was changed."
        )
        self.found, self.known = found, known


class SchemaIncomplete(StoreError):
    """Constraints that spm relies on are missing."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(
            f"Constraints are missing: {', '.join(missing)}. Without them two writers can create "
            "the same node twice. Restore them with: spm doctor --repair"
        )
        self.missing = missing
