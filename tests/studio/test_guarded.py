"""Who is let in: every route, and the upgrade, by host, origin, method and token, against a real server."""

from __future__ import annotations

import logging

import pytest
from running_studio import PAGE, TOKEN

from footfall.studio.guarded import token_of

ROUTES = ["/", "/assets/app.js", "/clips/walk/poses", "/clips/walk/skeleton", "/downloads/1/a.glb", "/skins/1.glb",
          "/upload?name=a.bvh", "/ws", "/nothing"]  # fmt: skip
EVIL_HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost:{port}.evil.example",
              "127.0.0.1:{port}@evil.example", "0.0.0.0:{port}", "127.0.0.1.:{port}", ""]  # fmt: skip
EVIL_ORIGINS = ["http://evil.example", "null", "http://127.0.0.1:{port}.evil.example", "http://evil127.0.0.1:{port}",
                "https://127.0.0.1:{port}", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost:{port}",
                "http://127.0.0.1:{port}/", "file://", "", "http://127.0.0.1:{port}, http://evil.example"]  # fmt: skip


@pytest.mark.parametrize("host", EVIL_HOSTS)
@pytest.mark.parametrize("route", ROUTES)
def test_a_foreign_host_is_refused_on_every_route(running, route, host):
    host = host.format(port=running.port)
    for method in ("GET", "POST"):
        answer = running.ask(method, route, {**running.cookie, **running.header, "Host": host})
        assert answer.status == 403, route


@pytest.mark.parametrize("host", EVIL_HOSTS)
def test_a_foreign_host_is_refused_on_the_upgrade(running, host):
    host = host.format(port=running.port)
    for origin in ({}, {"Origin": f"http://{host}"}, {"Origin": f"http://{running.host}"}):
        assert running.upgrade({**running.cookie, **running.header, "Host": host, **origin}) == 403


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_own_names_are_let_in(running, name):
    host = f"{name}:{running.port}"
    assert running.ask("GET", "/", {**running.cookie, "Host": host}).status == 200
    assert running.upgrade({**running.cookie, "Host": host, "Origin": f"http://{host}"}) == 101


@pytest.mark.parametrize("origin", EVIL_ORIGINS)
def test_a_foreign_origin_is_refused_even_with_everything_else(running, origin):
    given = {**running.cookie, **running.header, "Origin": origin.format(port=running.port)}
    assert running.upgrade(given) == 403
    assert running.ask("GET", "/", given).status == 403
    assert running.ask("POST", "/upload?name=a.bvh", given, b"x").status == 403


def test_two_origins_or_two_hosts_are_none(running):
    lines = f"Host: {running.host}\r\nOrigin: http://{running.host}\r\nOrigin: http://evil.example\r\n"
    cookie = "".join(f"{k}: {v}\r\n" for k, v in running.cookie.items())
    ask = f"GET / HTTP/1.1\r\n{lines}{cookie}Connection: close\r\n\r\n"
    assert running.exchange(ask.encode()).status == 403
    twice = ask.replace("Origin: http://evil.example", "Host: evil.example")
    assert running.exchange(twice.encode()).status in (400, 403)


def test_a_socket_needs_an_origin_or_the_header(running):
    origin = {"Origin": f"http://{running.host}"}
    assert running.upgrade({**running.cookie, **origin}) == 101
    assert running.upgrade(running.header) == 101
    assert running.upgrade({**running.header, **origin}) == 101
    assert running.upgrade(running.cookie) == 403
    assert running.upgrade(origin) == 403
    assert running.upgrade({}) == 403


@pytest.mark.parametrize("route", [r for r in ROUTES if r != "/ws"])
def test_reading_needs_the_cookie_or_the_header(running, route):
    wrong = {"Cookie": f"{running.guard.cookie_name}={TOKEN}"}  # the token is not the cookie's value
    for given in ({}, wrong, {"Authorization": "token wrong"}, {"Authorization": f"Bearer {TOKEN}"}):
        answer = running.ask("GET", route, given)
        assert answer.status == 403
        assert "footfall studio" in answer.text
    assert running.ask("GET", f"/assets/app.js?token={TOKEN}").status == 403  # only the front page takes it so
    assert running.ask("GET", route, running.cookie).status != 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get"])
@pytest.mark.parametrize("route", ROUTES)
def test_every_other_method_needs_the_header(running, route, method):
    own = {**running.cookie, "Origin": f"http://{running.host}"}
    assert running.ask(method, route, own).status == 403
    allowed = running.ask(method, route, running.header).status
    assert allowed in (404, 405, 422)  # let in, and then there is nothing of the kind


def test_the_printed_link_gives_the_cookie_and_loses_the_token(running):
    assert running.ask("GET", "/?token=wrong").status == 403
    assert running.ask("GET", f"/?token={TOKEN}&token={TOKEN}").status == 403
    answer = running.ask("GET", f"/?token={TOKEN}")
    assert answer.status == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    page = running.ask("GET", "/", {"Cookie": cookie.partition(";")[0]})
    assert page.status == 200
    assert page.text == PAGE.replace('content=""', f'content="{TOKEN}"')
    assert page.headers["cache-control"] == "no-store"


def test_every_answer_carries_the_security_headers_and_no_cors(running):
    asked = [("GET", r, running.cookie) for r in ROUTES if r != "/ws"] + [("GET", "/", {}), ("PUT", "/", {})]
    asked.append(("OPTIONS", "/upload", {**running.header, "Access-Control-Request-Method": "POST"}))
    for method, route, headers in asked:
        answer = running.ask(method, route, headers)
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["content-security-policy"].startswith("default-src 'self'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "server" not in answer.headers


def test_refusals_are_logged_and_the_token_never_is(running, caplog):
    with caplog.at_level(logging.DEBUG):
        running.ask("GET", f"/?token={TOKEN}", {"Host": "evil.example"})
        running.ask("GET", f"/?token={TOKEN}")
        running.upgrade({**running.header, "Origin": "http://evil.example"})
        running.ask("GET", "/\x1b[31m%1b[31m%0aroot", {})
    said = [r.getMessage() for r in caplog.records]
    assert any("evil.example" in line and line.startswith("refused GET '/'") for line in said)
    assert any("http://evil.example" in line for line in said)
    assert not any(TOKEN in line for line in said)
    assert not any(ord(c) < 32 or ord(c) == 127 for line in said for c in line)


def test_headers_that_are_none_end_the_connection(running):
    """Once the protocol has been switched they are found by another parser, which says nothing of its own."""
    assert running.upgrade({"Origin": "http://evil.example\x7f"}) == 400
    assert running.upgrade({f"X-{i}": "x" for i in range(200)}) in (400, 403, 431)
    assert running.upgrade({"X": "x" * 20_000}) in (400, 403, 431)
    try:
        status = running.ask("GET", "/", {**running.cookie, "X": "x" * 3_000_000}).status
    except ConnectionError:  # cut off while it was still being sent
        status = 400
    assert status == 400


def test_a_key_with_signs_of_its_own_gets_in_by_link_and_page():
    """--token takes every printable sign: in the link and in the page it must stay what it is."""
    from html.parser import HTMLParser

    from footfall.cli.studio import link_to
    from footfall.studio.front_page import with_token

    token = "a&b#c%41+d\"e<f>g'h?i=j"
    link = link_to("127.0.0.1", 8765, token)
    asked = token_of({"path": "/", "query_string": link.partition("?")[2].partition("#")[0].encode()})
    assert asked == token
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, given: found.append(dict(given).get("content"))
    parser.feed(with_token('<meta name="footfall-token" content="">', token))
    assert found == [token]
