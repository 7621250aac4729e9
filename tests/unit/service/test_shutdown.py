"""Clients that hang up before they have said everything."""

import socket
import time


def test_who_leaves_in_the_middle_is_no_failure_of_the_service(serve):
    client = serve()
    with socket.create_connection((client.base_url.host, client.base_url.port)) as line:
        line.sendall(b"POST /v1/menus HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
    deadline = time.monotonic() + 60
    while 'status="499"' not in (numbers := client.get("/metrics").text):
        assert time.monotonic() < deadline, numbers
        time.sleep(0.05)
    assert 'status="500"' not in numbers
