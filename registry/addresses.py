"""Addresses: which of them can be asked, and which are this machine."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from spm.registry.errors import InputError


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, by its name or number alone: no name is looked up.

    Args:
        host: `localhost`, an IPv4 address, or an IPv6 address with or without brackets; without a
            port. IPv4 addresses may be written as IPv6 (`::ffff:127.0.0.1`).
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        found = ipaddress.ip_address(bare)
    except ValueError:
        return host.lower().removesuffix(".") == "localhost"
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def address(url: str, what: str) -> SplitResult:
    """The parts of an address that can be asked.

    Args:
        url: http or https, without credentials.
        what: the option it comes from, for messages.

    Raises:
        InputError: it is no such address; a password in it is not repeated.
    """
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        usable = False
    if not usable:
        bare = url.rpartition("@")[2][:200]  # without what may be a password
        raise InputError(f"{what} must be http://HOST or https://HOST (got {bare!r}).")
    if parts.username or parts.password:
        raise InputError(
            f"{what} carries credentials for {parts.hostname!r}, and addresses are shown and "
            "stored. Leave them out; a key belongs into OPENAI_API_KEY."
        )
    return parts
