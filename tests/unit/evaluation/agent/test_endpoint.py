"""The chat client: patience, clear errors, and a key that nobody sees."""

import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from spm.evaluation.agent.endpoint import Endpoint
from spm.registry.errors import EndpointError, EndpointRefused, InputError
from tests.data.scripted import Answer, fails, says, serving

KEY = "sk-test-5e1f0c9a77"
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture
def waits():
    return []


@pytest.fixture
def chat(waits):
    def ask(server, **more):
        endpoint = Endpoint(server.url, "scripted", KEY, sleep=waits.append, **more)
        return endpoint.chat(HELLO, [])

    return ask


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_key_is_sent_in_its_header_and_shown_nowhere(chat):
    with serving(says("hi")) as server:
        chat(server)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(server.bodies)
    assert KEY not in repr(Endpoint(server.url, "scripted", KEY))


def test_without_a_key_there_is_no_header():
    with serving(says("hi")) as server:
        Endpoint(server.url, "scripted").chat(HELLO, [])
    assert "authorization" not in server.headers[0]


@pytest.mark.parametrize("status", [401, 400, 500])
def test_a_server_that_repeats_the_key_does_not_spread_it(chat, status):
    with serving(fails(status, f"Incorrect key {KEY}")) as server:
        with pytest.raises(EndpointError) as refused:
            chat(server, retries=0)
    assert KEY not in str(refused.value)
    assert "Incorrect key [key]" in str(refused.value)


@pytest.mark.parametrize("key", ["sk-a\nX-Evil: 1", "sk-ü", "sk a"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key):
    with pytest.raises(InputError) as refused:
        Endpoint("http://127.0.0.1:1/v1", "m", key)
    assert key not in str(refused.value)
    assert "OPENAI_API_KEY" in str(refused.value)


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/v1?version=7", "/v1/chat/completions?version=7"),
        ("", "/chat/completions"),
    ],
)
def test_where_chats_go(base, path):
    with serving(says("hi")) as server:
        Endpoint(server.url.removesuffix("/v1") + base, "scripted").chat(HELLO, [])
    assert server.paths == [path]


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://a/v1", "http://", "http://a:b/v1"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InputError, match="--base-url"):
        Endpoint(url, "m")


def test_credentials_in_an_address_are_refused_and_not_repeated():
    with pytest.raises(InputError, match="credentials") as refused:
        Endpoint("http://me:hunter2@example.com/v1", "m")
    assert "hunter2" not in str(refused.value)
    with pytest.raises(InputError) as refused:
        Endpoint("me:hunter2@example.com", "m")
    assert "hunter2" not in str(refused.value)


def test_more_keys_are_sent_and_null_takes_one_away(chat):
    more = {"temperature": None, "max_tokens": 50}
    with serving(says("hi")) as server:
        chat(server, more=more)
    assert "temperature" not in server.bodies[0]
    assert server.bodies[0]["max_tokens"] == 50


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529, 408])
def test_a_busy_server_is_asked_again(chat, waits, status):
    with serving(says("hi"), first=[fails(status), fails(status)]) as server:
        assert chat(server).text == "hi"
    assert len(server.bodies) == 3
    first, second = waits
    assert 0.75 <= first <= 1.25
    assert 1.5 <= second <= 2.5


def test_the_wait_that_a_server_asks_for_is_kept(chat, waits):
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=40))
    busy = [fails(429, retry_after="7"), fails(503, retry_after=later), fails(429, retry_after="x")]
    with serving(says("hi"), first=busy) as server:
        chat(server)
    assert waits[0] == 7
    assert 35 < waits[1] <= 40
    assert 3 <= waits[2] <= 5


def test_a_wait_of_hours_is_said_and_not_waited(chat, waits):
    with serving(fails(429, "quota", retry_after="7200")) as server:
        with pytest.raises(EndpointError, match=r"7,200 seconds.*--resume"):
            chat(server)
    assert waits == []


def test_a_server_that_fails_for_ever_is_given_up_with_its_words(chat, waits):
    with serving(fails(500, "out of memory")) as server:
        with pytest.raises(EndpointError) as refused:
            chat(server, retries=3)
    assert len(server.bodies) == 4
    assert len(waits) == 3
    said = str(refused.value)
    assert "failed 4 times, at last with 500: out of memory" in said
    assert "--retries" in said
    assert not isinstance(refused.value, EndpointRefused)


def test_nobody_listening_is_said_at_once(waits):
    url = f"http://127.0.0.1:{closed_port()}/v1"
    with pytest.raises(EndpointError) as refused:
        Endpoint(url, "m", KEY, sleep=waits.append).chat(HELLO, [])
    assert str(refused.value) == (
        f"'{url}/chat/completions' cannot be reached: nobody listens there (connection refused). "
        "Start the server, or correct --base-url."
    )
    assert waits == []


def test_a_server_that_stays_silent_is_not_waited_for_for_ever(waits):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        endpoint = Endpoint(url, "m", timeout=0.2, retries=1, sleep=waits.append)
        with pytest.raises(EndpointError, match=r"no answer within 0.2 seconds.*--timeout"):
            endpoint.chat(HELLO, [])
    assert len(waits) == 1


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "'scripted'")]
)
def test_what_no_patience_helps_against_is_said_at_once(chat, waits, status, hint):
    with serving(fails(status, "no such thing")) as server:
        with pytest.raises(EndpointError, match=hint):
            chat(server)
    assert waits == []
    assert len(server.bodies) == 1


@pytest.mark.parametrize("status", [400, 413, 422])
def test_one_request_may_be_refused(chat, status):
    with serving(fails(status, "too long")) as server:
        with pytest.raises(EndpointRefused, match=f"{status}.*too long"):
            chat(server)


def test_a_redirect_does_not_carry_the_key_away(chat):
    with serving(says("thank you")) as thief:
        away = Answer({}, 307, {"location": f"{thief.url}/chat/completions"})
        with serving(away) as server, pytest.raises(EndpointError, match="307"):
            chat(server)
    assert thief.bodies == []


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", {}, {"choices": []}, {"choices": [{}]}, [], b"", b"[" * 99_999]
)
def test_an_answer_that_is_no_chat_is_said(chat, body):
    with serving(Answer(body)) as server:
        with pytest.raises(EndpointError, match="not with a chat completion"):
            chat(server)


def test_a_proxy_is_not_asked_for_this_machine(chat, monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with serving(says("hi")) as server:
        assert chat(server).text == "hi"
