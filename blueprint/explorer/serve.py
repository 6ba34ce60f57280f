"""One page on one address of this machine: no other path, no other method, no other host's name."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from typing import Final

ADDRESS: Final = "127.0.0.1"
"""Nobody else can reach it."""

PATH: Final = "/"

HTTP_PORT: Final = 80

_ALLOWED: Final = "GET, HEAD"


class PageServer(ThreadingHTTPServer):
    """Serves one page; port 0 takes a free one. Raises OSError where the port cannot be had."""

    daemon_threads = True
    # So that a port can be had again at once. Elsewhere the same word would let two servers share one port.
    allow_reuse_address = os.name == "posix"

    def __init__(self, page: bytes, policy: str, port: int = 0) -> None:
        self.page = page
        self.policy = f"{policy}; frame-ancestors 'none'"
        super().__init__((ADDRESS, port), _Handler)

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Say nothing where a reader went away in the middle: a tab that is closed is no failure of this command."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_port}{PATH}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which a browser may ask: another one's page must not read this one under its own name."""
        names = (ADDRESS, "localhost")
        numbered = tuple(f"{name}:{self.server_port}" for name in names)
        # A browser leaves out the port that goes without saying.
        return (*numbered, *names) if self.server_port == HTTP_PORT else numbered


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD of one path."""

    server: PageServer
    server_version = "blueprint"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """The page."""
        self._answer(body=True)

    def do_HEAD(self) -> None:
        """Its headers."""
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        if self.path != PATH:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        self._send(HTTPStatus.OK, {"Content-Type": "text/html; charset=utf-8"}, self.server.page, body=body)

    def _refuse(self, status: HTTPStatus) -> None:
        text = f"{status.phrase}\n".encode("ascii")
        self._send(status, {"Content-Type": "text/plain; charset=utf-8"}, text, body=self.command != "HEAD")

    def _send(self, status: HTTPStatus, headers: Mapping[str, str], data: bytes, *, body: bool) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if body:
            self.wfile.write(data)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """What the library refuses by itself, such as another method, with the same headers and no word of its own."""
        status = HTTPStatus(code)
        # Of a request that could not be read, there may be no command.
        if not hasattr(self, "command"):
            self.command = ""
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        text = f"{status.phrase}\n".encode("ascii")
        headers = {"Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = _ALLOWED
        self._send(status, headers, text, body=True)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- the library's name
        """Nothing: standard error belongs to the command."""
