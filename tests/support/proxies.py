"""A line between a driver and its server that tests can watch and cut."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress


class Proxy:
    """Stands between driver and server, counts their turns, and cuts the line when armed.

    Attributes:
        mode: how the line is cut; empty: not at all.
        mark: what the driver sends when it is cut: the next COMMIT.
        turns: how often the driver spoke and waited for an answer.
    """

    COMMIT = bytes.fromhex("0002B0120000")  # a chunk of two bytes: structure, signature 0x12

    def __init__(self, uri: str) -> None:
        host, _, port = uri.rpartition("/")[2].partition(":")
        self._target = (host, int(port))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.uri = f"bolt://127.0.0.1:{self._listening.getsockname()[1]}"
        self.mode = ""
        self.mark = self.COMMIT
        self.cuts = 0
        self.turns = 0
        self._answered = True
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(self._target)
                line = threading.Thread(target=self._serve, args=(client, server), daemon=True)
                self._threads.append(line)
                line.start()

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        with client, server:
            back = threading.Thread(target=self._pump, args=(server, client), daemon=True)
            back.start()
            with suppress(OSError):
                while data := client.recv(65536):
                    self.turns += self._answered
                    self._answered = False
                    if self.mode and self.mark in data:
                        self._cut(data, client, server)
                        break
                    server.sendall(data)
            for end in (client, server):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            back.join(5)

    def _cut(self, data: bytes, client: socket.socket, server: socket.socket) -> None:
        mode, self.mode = self.mode, ""
        self.cuts += 1
        if mode == "answer lost":
            client.shutdown(socket.SHUT_RDWR)  # nothing reaches the driver any more
            server.sendall(data)
            time.sleep(0.3)
        elif mode == "cut at once":
            server.sendall(data)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._answered = True
                target.sendall(data)

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(5)
