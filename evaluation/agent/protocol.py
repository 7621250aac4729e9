"""The rules of a run: instruction and budget.

They are the same for every menu. A run is over with the model's answer or with its last call: there
is no turn after the budget. Each call costs one, whatever became of it; so does a message that
neither calls nor says anything.
"""

INSTRUCTION = (
    "You are a tool-using assistant. "
    "Use only tools in the provided menu. "
    "At each step, either call one tool with a valid JSON argument or produce the final answer. "
    "Use earlier observations when deciding the next action. "
    "Stop when the user request is satisfied or the step budget is exhausted."
)
BUDGET = 8
SEED = 20260525


def opening(request: str) -> list[dict[str, object]]:
    """The messages with which every run begins."""
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": request},
    ]
