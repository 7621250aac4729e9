"""Which hosts are this machine."""

import pytest

from spm.registry.addresses import is_loopback, is_public

HERE = [
    "127.0.0.1", "127.8.8.8", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1",
    "[::ffff:127.0.0.1]", "::1%lo", "localhost", "LocalHost", "localhost.",
]  # fmt: skip
ELSEWHERE = [
    "", "10.0.0.1", "0.0.0.0", "::", "[::]", "::ffff:10.0.0.1", "[10.0.0.1]", "[localhost]",
    "127.0.0.1.evil", "127.1", "localhost.evil", "evil.localhost", "[::1", "::1]", "localhost:80",
    "127.0.0.1:80", "[::1]:80", "2130706433",
]  # fmt: skip


@pytest.mark.parametrize("host", HERE)
def test_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ELSEWHERE)
def test_other_machines_and_what_is_no_host(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("number", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_the_open_internet(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize(
    "number",
    [
        "10.0.0.1", "172.16.3.4", "192.168.1.1", "127.0.0.1", "169.254.169.254", "0.0.0.0",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fe80::1%eth0", "fc00::1",
        "::ffff:10.0.0.1", "::ffff:169.254.169.254", "", "example.org",
    ],
)  # fmt: skip
def test_no_address_of_the_open_internet(number: str) -> None:
    assert not is_public(number)
