"""Addresses: which of them can be asked, and which are this machine."""

import ipaddress
import socket
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


def is_public(number: str) -> bool:
    """Return whether an IP address is one of the open internet: not private, local or reserved."""
    try:
        found = ipaddress.ip_address(number.partition("%")[0])
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    bare = mapped or found
    return bare.is_global and not bare.is_multicast


def is_number(host: str) -> bool:
    """Return whether a host is an IP address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def require_secure(parts: SplitResult, what: str, *, allow_http: bool) -> None:
    """Refuse plain HTTP to other machines.

    Raises:
        InputError: the address is one of another machine, and nobody allowed it.
    """
    if parts.scheme == "http" and not (allow_http or is_loopback(parts.hostname or "")):
        raise InputError(
            f"{what} speaks plain HTTP with {parts.hostname!r}, which others can read and change. "
            "Use https://, or say that you trust the network: --allow-remote"
        )


def connectable(parts: SplitResult, what: str, *, typed: str) -> str:
    """The IP address to connect to, so that a name cannot be made to lead into a private network.

    Args:
        parts: the address; it may come from a redirect.
        what: for messages.
        typed: the host that a person wrote; a number or `localhost` was meant as it stands.

    Raises:
        InputError: there is no such host, or a name leads to a private, local or reserved address.
    """
    host = parts.hostname or ""
    as_written = host == typed and (is_number(host) or is_loopback(host))
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(f"{what}: there is no host {host!r}. Is it written right?") from error
    found = [str(row[4][0]) for row in rows]
    if not as_written and (private := [number for number in found if not is_public(number)]):
        raise InputError(
            f"{what}: {host!r} leads to {private[0]}, which is no address of the open internet. To "
            "ask a machine of your own network, write its number or localhost."
        )
    return found[0]
