"""Malformed JSON-RPC frames of MCP: bodies and headers that no client should send."""

import json
from typing import Any

from hypothesis import strategies as st

METHODS = [
    "initialize", "ping", "tools/list", "tools/call", "server/discover", "resources/list",
    "resources/read", "prompts/get", "completion/complete", "logging/setLevel",
    "subscriptions/listen", "notifications/initialized", "notifications/cancelled", "tasks/get",
]  # fmt: skip
TOOLS = ["build_menu", "find_path", "explain_menu", "search_tools", "find_payment", "getOrder"]
VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "2099-01-01", ""]
ACCEPTS = ["application/json, text/event-stream", "application/json", "text/html", ""]
KEYS = [
    "request", "query", "to", "from", "have", "tool", "k", "menu", "format", "state", "limit",
    "order_id", "payment_id", "protocolVersion", "capabilities", "clientInfo", "cursor", "uri",
]  # fmt: skip

text = st.one_of(st.text(max_size=40), st.sampled_from(["", "\x00", "\ud800", "‮", "'; --"]))
scalar = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), text,
    st.integers(min_value=10**30, max_value=10**40),
)  # fmt: skip
anything = st.recursive(
    scalar,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), text), inner, max_size=4),
    ),
    max_leaves=12,
)
meta = st.fixed_dictionaries(
    {},
    optional={
        "io.modelcontextprotocol/protocolVersion": st.one_of(st.sampled_from(VERSIONS), anything),
        "io.modelcontextprotocol/clientCapabilities": anything,
        "io.modelcontextprotocol/clientInfo": anything,
        "progressToken": anything,
        "traceparent": text,
    },
)
arguments = st.one_of(st.dictionaries(st.sampled_from(KEYS), anything, max_size=4), anything)
call = st.fixed_dictionaries(
    {},
    optional={
        "name": st.one_of(st.sampled_from(TOOLS), anything),
        "arguments": arguments,
        "_meta": st.one_of(meta, anything),
        "inputResponses": anything,
        "requestState": anything,
    },
)
frame = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.one_of(st.just("2.0"), anything),
        "id": st.one_of(st.integers(0, 9), anything),
        "method": st.one_of(st.sampled_from(METHODS), anything),
        "params": st.one_of(call, anything),
        "result": anything,
        "error": anything,
    },
)


def _encoded(value: Any) -> bytes:
    # Half characters go out as escapes, as a careless client would send them.
    return json.dumps(value).encode()


body = st.one_of(
    frame.map(_encoded),
    st.lists(frame, max_size=3).map(_encoded),
    anything.map(_encoded),
    st.binary(max_size=60),
    st.integers(1, 3_000).map(lambda depth: b"[" * depth),
    frame.map(_encoded).flatmap(lambda b: st.integers(0, len(b)).map(lambda cut: b[:cut])),
)
# What a client can send at all: anything else its own library refuses.
visible = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
headers = st.fixed_dictionaries(
    {"Content-Type": st.sampled_from(["application/json", "application/json", "text/plain"])},
    optional={
        "Accept": st.sampled_from(ACCEPTS),
        "MCP-Protocol-Version": st.one_of(st.sampled_from(VERSIONS), visible),
        "Mcp-Method": st.one_of(st.sampled_from(METHODS), visible),
        "Mcp-Name": st.one_of(st.sampled_from(TOOLS), visible),
        "Mcp-Session-Id": visible,
        "Mcp-Param-X": visible,
        "Last-Event-ID": visible,
    },
)
