"""`spm mcp`: the registry as an MCP server on standard input and output."""

from spm.cli import asking
from spm.cli.options import StoreOption, opened


def mcp(
    team: asking.TeamOption = None,
    scopes: asking.ScopesOption = None,
    read_only: asking.ReadOnlyOption = False,
    store: StoreOption = None,
) -> None:
    """Serve build_menu, find_path, explain_menu and search_tools over MCP, on stdio.

    Point an MCP client at this command. What the client sees is decided by --as, --scopes and
    --read-only. Over HTTP the same is at /mcp of spm serve.
    """
    from spm.service.mcp.stdio import serve

    with opened(store) as registry:
        asking.prepared(registry)
    serve(store, asking.caller(team, scopes, read_only))
