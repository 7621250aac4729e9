"""An agent on OpenAI's Chat Completions that sees a menu instead of all tools.

    export OPENAI_API_KEY=…
    python examples/openai_agent.py --model MODEL "Email the customer the receipt for order 4821"

Works with every server that speaks this protocol (--base-url). Standard output gets the trace.
"""

import json
from typing import Any

from openai import OpenAI
from shop import MOST, Run, options

import spm


def work(registry: spm.Registry, client: OpenAI, model: str, run: Run) -> str | None:
    """Let the model call tools until it answers; None when it does not within MOST calls."""
    messages: list[Any] = [{"role": "user", "content": run.request}]
    while run.calls < MOST:
        # A menu that lives: what ran is no longer offered, what became known opens the next step.
        menu = registry.menu(run.request, done=run.done, state=run.known)
        names, specs = menu.names("openai"), menu.definitions()
        # One call at a time, because the next menu depends on its result.
        tools = menu.to("openai")
        offered = {"tools": tools, "parallel_tool_calls": False} if tools else {}
        reply = client.chat.completions.create(model=model, messages=messages, **offered)
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            if call.type != "function":
                continue
            tool = names.get(call.function.name)  # the way back from name to tool
            arguments = parsed(call.function.arguments)
            if arguments is None:
                run.calls += 1
                result: dict[str, Any] = {"error": "the arguments are not a JSON object"}
            else:
                result = run.call(tool, specs.get(tool or ""), arguments)
            content = json.dumps(result)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return None


def parsed(text: str) -> dict[str, Any] | None:
    """The arguments of a call, which come as text that a model wrote."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def main() -> None:
    """Run one request and print its trace."""
    given = options(__doc__)
    run = Run(given.request, "examples/openai_agent.py", given.yes)
    client = OpenAI(base_url=given.base_url)  # the key comes from OPENAI_API_KEY
    with spm.open(given.store) as registry:
        said = work(registry, client, given.model, run)
    if run.steps:
        print(run.trace(finished=said is not None))
    raise SystemExit(said is None)


if __name__ == "__main__":
    main()
