"""Questions at a steady rate: late answers are seen to be late, failures are counted."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks.speed.arrivals import Client, arrive
from benchmarks.speed.service import measure
from spm.registry.errors import InputError


@contextmanager
def answering(answer):
    """A server on the loopback that answers what `answer(number, request)` says."""
    numbers = iter(range(10**6))
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                number = next(numbers)
            status = answer(number, body["request"])
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def do_GET(self):
            self.send_error(503)

        def log_message(self, *told):
            pass

    class Server(ThreadingHTTPServer):
        # All may knock before one is let in; with room for five, a busy machine lost one.
        request_queue_size = 256

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_questions_do_not_wait_for_the_answers_before_them():
    together = threading.Barrier(10)  # opens when all ten were asked

    def waiting(number, request):
        together.wait(60)
        return 200

    with answering(waiting) as url:
        heard = arrive(Client(url, seconds=60), [f"r{n}" for n in range(10)], rate=20)
    assert [one.status for one in heard] == [200] * 10
    assert heard[0].ms > 9 * 1000 / 20 - 1  # the first was answered when the last had been asked


def test_time_counts_from_the_moment_a_question_is_due():
    """A service that works one by one falls behind, and every question hears of it."""
    alone = threading.Lock()

    def single(number, request):
        with alone:
            time.sleep(0.1)
        return 200

    with answering(single) as url:
        heard = arrive(Client(url), ["x"] * 8, rate=40)
    times = sorted(one.ms for one in heard)
    assert times[-1] >= 8 * 100 - 8 * 25 - 1


def test_refusals_and_broken_lines_are_errors_and_not_menus():
    def third(number, request):
        return 429 if number >= 60 and number % 3 == 0 else 200

    with answering(third) as url:
        found = measure(Client(url), rate=100, seconds=0.3, settings={"tools": 3})
    assert found.settings["statuses"] == {"200": 20, "429": 10}
    figures = {one.name: one.value for one in found.figures}
    assert figures["errors under that load"] == 10
    assert figures["menus per second over HTTP with encoding"] < 100
    assert "memory, last / first quarter of that load" not in figures  # it runs elsewhere
    nobody = Client(url, seconds=1)  # it is gone by now
    assert arrive(nobody, ["x"], rate=10)[0].status == 0


def test_no_request_is_asked_twice():
    seen = []

    def remember(number, request):
        seen.append(request)
        return 200

    with answering(remember) as url:
        measure(Client(url), rate=200, seconds=0.5, settings={})
    assert len(seen) == len(set(seen)) == 160


def test_a_service_that_does_not_answer_is_told_before_anything_is_measured():
    with answering(lambda number, request: 401) as url, pytest.raises(InputError, match="401"):
        measure(Client(url), rate=1, seconds=1, settings={})
    with pytest.raises(InputError, match="no address"):
        Client("localhost:8321")
