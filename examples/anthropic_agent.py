"""An agent on Anthropic's Messages that sees a menu instead of all tools.

    export ANTHROPIC_API_KEY=…
    python examples/anthropic_agent.py --model MODEL "Email the customer the receipt for order 4821"

Standard output gets the trace, standard error what happens.
"""

import json
from typing import Any

from anthropic import Anthropic
from shop import MOST, Run, options

import spm


def work(registry: spm.Registry, client: Anthropic, model: str, run: Run) -> str | None:
    """Let the model call tools until it answers; None when it does not within MOST calls."""
    messages: list[Any] = [{"role": "user", "content": run.request}]
    while run.calls < MOST:
        # A menu that lives: what ran is no longer offered, what became known opens the next step.
        menu = registry.menu(run.request, done=run.done, state=run.known)
        names, specs = menu.names("anthropic"), menu.definitions()
        # One call at a time, because the next menu depends on its result.
        choice = {"type": "auto", "disable_parallel_tool_use": True}
        tools = menu.to("anthropic")
        offered: dict[str, Any] = {"tools": tools, "tool_choice": choice} if tools else {}
        reply = client.messages.create(model=model, max_tokens=2048, messages=messages, **offered)
        results: list[dict[str, Any]] = []
        for block in reply.content:
            if block.type != "tool_use":
                continue
            tool = names.get(block.name)  # the way back from name to tool
            result = run.call(tool, specs.get(tool or ""), dict(block.input))
            results.append(
                {
                    "type": "tool_result",
                    "tool_use_id": block.id,
                    "content": json.dumps(result),
                    "is_error": "error" in result,
                }
            )
        if not results:
            return "".join(block.text for block in reply.content if block.type == "text")
        messages.append({"role": "assistant", "content": reply.content})
        messages.append({"role": "user", "content": results})
    return None


def main() -> None:
    """Run one request and print its trace."""
    given = options(__doc__)
    run = Run(given.request, "examples/anthropic_agent.py", given.yes)
    client = Anthropic(base_url=given.base_url)  # the key comes from ANTHROPIC_API_KEY
    with spm.open(given.store) as registry:
        said = work(registry, client, given.model, run)
    if run.steps:
        print(run.trace(finished=said is not None))
    raise SystemExit(said is None)


if __name__ == "__main__":
    main()
