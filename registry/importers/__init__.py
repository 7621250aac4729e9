"""Reading tool descriptions of other formats (OpenAPI, MCP, function lists, Python)."""
