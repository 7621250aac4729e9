"""Approvals of destructive calls: on the command line, or through the client where allowed.

A model cannot approve: no argument of a call does. An operator approves exactly one call with
`spm menus approve`. Where the file of backends allows it for a service, clients that can ask their
user are asked by elicitation; nothing proves that a person answered, so that is as good as the
client.
"""

import json
from typing import Any

import anyio
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from spm.registry.importers.references import clean
from spm.registry.menus import frozen
from spm.service.mcp.registry_calls import RegistryCalls

Context = ServerRequestContext[Any, Any]
PATIENCE = 300.0  # seconds that a person has
SHOWN = 1_000
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Run it", "description": "It cannot be undone."}
    },
    "required": ["approve"],
}


async def decide(
    context: Context,
    params: CallToolRequestParams,
    desk: RegistryCalls,
    menu: str,
    tool: str,
    *,
    elicit: bool,
) -> bool | InputRequiredResult:
    """Whether a person approved this call; or the question to put to one.

    Args:
        context: of the request, which knows the client.
        params: the call.
        desk: where approvals are.
        menu: the frozen menu.
        tool: the id of the tool.
        elicit: whether the client's answer counts.
    """
    arguments = params.arguments or {}
    code = frozen.code_of(menu, tool, arguments)
    if await desk.ask(lambda registry: frozen.approved(registry.store, menu, code)):
        return await desk.write(lambda registry: frozen.spend(registry.store, menu, code))
    if not elicit or not _can_ask(context):
        return False
    question = ElicitRequestFormParams(message=_message(tool, arguments), requested_schema=FORM)
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return await _asked(context, question)
    # No session holds this question: its name binds the answer to the very same call.
    answer = (params.input_responses or {}).get(code)
    if answer is None:
        return InputRequiredResult(input_requests={code: ElicitRequest(params=question)})
    return _agreed(answer)


def refusal(menu: str, tool: str, arguments: dict[str, Any]) -> str:
    """How a person can approve, where the client cannot or may not ask."""
    code = frozen.code_of(menu, tool, arguments)
    return (
        "The tool was not called: it cannot be undone, and nobody approved it. A person can "
        f"approve exactly this call once, with: spm menus approve {menu} {code}"
    )


def _can_ask(context: Context) -> bool:
    known = context.session.client_capabilities
    if known is None or known.elicitation is None:
        return False
    if known.elicitation.url is not None and known.elicitation.form is None:
        return False  # it can only open pages
    modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
    return modern or context.session.can_send_request


async def _asked(context: Context, question: ElicitRequestFormParams) -> bool:
    try:
        with anyio.fail_after(PATIENCE):
            return _agreed(
                await context.session.elicit_form(
                    question.message, question.requested_schema, context.request_id
                )
            )
    except (MCPError, TimeoutError, ValidationError):
        return False


def _agreed(answer: object) -> bool:
    accepted = isinstance(answer, ElicitResult) and answer.action == "accept"
    return accepted and (answer.content or {}).get("approve") is True  # type: ignore[attr-defined]


def _message(tool: str, arguments: dict[str, Any]) -> str:
    said = clean(json.dumps(arguments, ensure_ascii=False, indent=1))
    cut = f"{said[:SHOWN]} …" if len(said) > SHOWN else said
    return f"Run {tool}? It cannot be undone. Its arguments:\n{cut}"
