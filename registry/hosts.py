"""Addresses: which of them are this machine."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name or number alone: nobody is asked."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
