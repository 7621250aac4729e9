"""A LangGraph agent of two nodes, whose tools are the menu of the moment.

    export OPENAI_API_KEY=…
    python examples/langgraph_agent.py --model MODEL "Email the customer the receipt for order 4821"

The model is LangChain's ChatOpenAI, which takes every compatible server (--base-url).
"""

import json
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from shop import MOST, Run, options

import spm


class Agent:
    """The nodes: `ask` shows the model a fresh menu, `act` runs what it chose."""

    def __init__(self, registry: spm.Registry, llm: BaseChatModel, run: Run) -> None:
        self.registry = registry
        self.llm = llm
        self.run = run
        self.offered: dict[str, StructuredTool] = {}  # by the names that the model was shown

    def tools(self) -> dict[str, StructuredTool]:
        """The menu of the moment: what ran is not offered, what became known opens new steps."""
        menu = self.registry.menu(self.run.request, done=self.run.done, state=self.run.known)
        names, specs = menu.names("openai"), menu.definitions()
        made = {}
        for definition in menu.to("openai"):
            function = definition["function"]
            tool = names[function["name"]]  # the way back from name to tool
            made[function["name"]] = self.tool(function, tool, specs.get(tool))
        return made

    def tool(
        self, function: dict[str, Any], tool: str, spec: spm.ToolSpec | None
    ) -> StructuredTool:
        """One tool with the schema that was registered."""

        def call(**arguments: Any) -> str:
            return json.dumps(self.run.call(tool, spec, arguments))

        return StructuredTool.from_function(
            call,
            name=function["name"],
            description=function["description"] or function["name"],
            args_schema=function["parameters"],
        )

    def ask(self, state: MessagesState) -> dict[str, Any]:
        """Show the model what it may call now."""
        self.offered = self.tools()
        # One call at a time, because the next menu depends on its result.
        tools = list(self.offered.values())
        model = self.llm.bind_tools(tools, parallel_tool_calls=False) if tools else self.llm
        return {"messages": [model.invoke(state["messages"])]}

    def act(self, state: MessagesState) -> dict[str, Any]:
        """Run the calls of the last message."""
        answers = []
        for call in chosen(state):
            if call["name"] in self.offered:
                answers.append(self.offered[call["name"]].invoke(call))
            else:
                content = json.dumps(self.run.call(None, None, call["args"]))
                answers.append(ToolMessage(content, tool_call_id=call["id"]))
        return {"messages": answers}

    def graph(self) -> Any:
        """Ask, act, ask again, until the model answers or has made MOST calls."""
        built = StateGraph(MessagesState)
        built.add_node("ask", self.ask)
        built.add_node("act", self.act)
        built.add_edge(START, "ask")
        built.add_conditional_edges("ask", lambda state: "act" if chosen(state) else END)
        built.add_conditional_edges("act", lambda _: "ask" if self.run.calls < MOST else END)
        return built.compile()


def chosen(state: MessagesState) -> list[ToolCall]:
    """The calls that the model just asked for."""
    last = state["messages"][-1]
    return last.tool_calls if isinstance(last, AIMessage) else []


def main() -> None:
    """Run one request and print its trace."""
    given = options(__doc__)
    run = Run(given.request, "examples/langgraph_agent.py", given.yes)
    llm = ChatOpenAI(model=given.model, base_url=given.base_url)  # the key: OPENAI_API_KEY
    with spm.open(given.store) as registry:
        ended = Agent(registry, llm, run).graph().invoke({"messages": [("user", run.request)]})
    finished = isinstance(ended["messages"][-1], AIMessage)
    if run.steps:
        print(run.trace(finished=finished))
    raise SystemExit(not finished)


if __name__ == "__main__":
    main()
