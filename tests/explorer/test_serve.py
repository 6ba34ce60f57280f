"""One page on the loopback address: the same bytes, one path, two methods, own names of the host, strict headers."""

from __future__ import annotations

import http.client
import socket
import struct
import threading
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from blueprint.explorer.page import own_policy
from blueprint.explorer.serve import PageServer

PAGE = b"<!DOCTYPE html><title>a page</title>" * 1000


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


@pytest.fixture(scope="module")
def server() -> Iterator[PageServer]:
    with PageServer(PAGE, own_policy()) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join(30)


def ask(server: PageServer, method: str = "GET", path: str = "/", **headers: str) -> Answer:
    """One request, with the headers that are given and no others of the client's own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


def host(server: PageServer, name: str = "127.0.0.1") -> str:
    return f"{name}:{server.server_port}"


def test_the_server_is_on_the_loopback_address_alone(server: PageServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/"
    assert server.server_port > 0


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_the_page_is_served_byte_for_byte(server: PageServer, name: str) -> None:
    answer = ask(server, Host=host(server, name))
    assert (answer.status, answer.body) == (200, PAGE)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Content-Length"] == str(len(PAGE))


def test_head_has_the_headers_and_no_body(server: PageServer) -> None:
    head, get = ask(server, "HEAD", Host=host(server)), ask(server, Host=host(server))
    assert (head.status, head.body) == (200, b"")
    assert {name for name, _ in head.headers.items()} == {name for name, _ in get.headers.items()}
    assert head.headers["Content-Length"] == str(len(PAGE))


@pytest.mark.parametrize(
    "name", ["example.org", "example.org:{port}", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.example.org", ""]
)
def test_another_name_of_the_host_is_refused(server: PageServer, name: str) -> None:
    answer = ask(server, Host=name.format(port=server.server_port))
    assert (answer.status, answer.body) == (403, b"Forbidden\n")


def test_the_port_that_goes_without_saying_is_left_out_by_browsers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not this machine lets a test have that port."""
    with PageServer(PAGE, own_policy()) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        assert ask(running, Host="127.0.0.1").status == ask(running, Host="localhost").status == 403
        reached = running.server_port
        monkeypatch.setattr("blueprint.explorer.serve.HTTP_PORT", reached)
        answers = [ask(running, Host=name) for name in ("127.0.0.1", "localhost", f"localhost:{reached}")]
        assert [answer.status for answer in answers] == [200, 200, 200]
        assert ask(running, Host="example.org").status == 403
        running.shutdown()
        thread.join(30)


def test_no_name_of_the_host_is_refused(server: PageServer) -> None:
    assert ask(server).status == 403


@pytest.mark.parametrize("path", ["/index.html", "/../etc/passwd", "/./", "/?q=1", "/%2e", "*"])
def test_every_other_path_is_not_found(server: PageServer, path: str) -> None:
    answer = ask(server, path=path, Host=host(server))
    assert answer.status == 404
    assert PAGE not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "NONSENSE"])
def test_every_other_method_is_refused(server: PageServer, method: str) -> None:
    answer = ask(server, method, Host=host(server))
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert answer.body == b"Method Not Allowed\n"


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/else"), ("POST", "/")])
def test_every_answer_has_the_strict_headers(server: PageServer, method: str, path: str) -> None:
    headers = ask(server, method, path, Host=host(server)).headers
    assert headers["Content-Security-Policy"] == f"{own_policy()}; frame-ancestors 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not [name for name, _ in headers.items() if name.lower().startswith("access-control-")]
    assert headers["Server"].strip() == "blueprint"


def test_a_request_that_cannot_be_read_is_refused_without_its_words(server: PageServer) -> None:
    answer = ask(server, "GET", "/" + "x" * 70_000, Host=host(server))
    assert answer.status == 414
    assert b"xxx" not in answer.body


def test_a_port_that_is_taken_cannot_be_had_again(server: PageServer) -> None:
    with pytest.raises(OSError, match="in use"):
        PageServer(PAGE, own_policy(), server.server_port)


@pytest.mark.parametrize("request_line", ["GET / HTTP/1.1", "GET"])
def test_a_reader_who_goes_away_leaves_no_trace(request_line: str, capfd: pytest.CaptureFixture[str]) -> None:
    """As a tab does that is closed while it loads: here with a reset, in the middle of the answer or of the request."""
    with PageServer(b"x" * 50_000_000, own_policy()) as running:
        running.daemon_threads = False
        running.block_on_close = True
        thread = threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        with socket.create_connection(("127.0.0.1", running.server_port), timeout=30) as reader:
            reader.sendall(f"{request_line}\r\nHost: {host(running)}\r\n".encode())
            if "HTTP" in request_line:
                reader.sendall(b"\r\n")
                assert reader.recv(12) == b"HTTP/1.0 200"
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        running.shutdown()
        thread.join(30)
    assert capfd.readouterr() == ("", "")


def test_a_failure_of_the_server_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with PageServer(PAGE, own_policy()) as running:
        monkeypatch.setattr(running, "finish_request", lambda *_: 1 // 0)
        running.process_request_thread(socket.socket(), ("127.0.0.1", 1))
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_port_that_is_free_again_can_be_had_at_once() -> None:
    """The server ends every connection first, which leaves the port waiting for stragglers."""
    port = 0
    for _ in range(2):
        with PageServer(PAGE, own_policy(), port) as running:
            thread = threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            assert ask(running, Host=host(running)).status == 200
            port = running.server_port
            running.shutdown()
            thread.join(30)
