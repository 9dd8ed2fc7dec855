"""Open the studio: arrange, steer and export motions in the browser."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

if TYPE_CHECKING:
    from footfall.studio.security import Guard

PORT = 8765
TRIES = 50  # ports after the usual one that are tried when it is taken
SHORTEST_TOKEN = 16
ANY = ("0.0.0.0", "::")  # every address this machine has: no name to reach it by
LOOPBACK = ("127.0.0.1", "::1", "[::1]", "localhost")


@click.command(name="studio")
@click.argument("folder", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), help=f"Port to listen on (default: the first free from {PORT}).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; another needs --token.")
@click.option("--token", default="", metavar="KEY", help="Key that pages must present (default: a new one).")
@click.option(
    "--allow-host", "hosts", multiple=True, metavar="NAME", help="Another host name under which it is reached."
)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
def command(
    folder: Path | None, port: int | None, host: str, token: str, hosts: tuple[str, ...], no_browser: bool
) -> None:
    """Open the studio on a folder of motion files, or on the built-in motions alone.

    It listens on this machine only. The link it prints carries a key; without it nobody gets in.

    \b
    Example:  footfall studio
              footfall studio my-clips --no-browser
    """
    from footfall.core.errors import ParameterError, need

    for module in ("starlette", "uvicorn", "websockets"):
        need(module, "studio")
    if folder is not None and not folder.is_dir():
        raise ParameterError(f"{folder}: there is no such folder; make it, or name one that exists")
    _check_reach(host, token)
    from footfall.studio.front_page import DIST, NOT_BUILT

    if not (DIST / "index.html").is_file():
        raise ParameterError(NOT_BUILT)
    listening = _listen(host, port)
    try:
        own_name = host in LOOPBACK or host in ANY
        _run(folder, listening, token, hosts if own_name else (*hosts, host), not no_browser)
    finally:
        listening.close()


def _check_reach(host: str, token: str) -> None:
    """Only this machine gets in without a key that was chosen on purpose."""
    from footfall.core.errors import ParameterError

    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise ParameterError(f"--token needs at least {SHORTEST_TOKEN} plain characters without spaces")
    if host in LOOPBACK:
        return
    if not token:
        raise ParameterError(
            f"--host {host} lets others in; give it a key of {SHORTEST_TOKEN} or more characters: --token KEY"
        )
    click.echo(
        f"footfall: warning: the studio listens on {host}: whoever has the key can read and write its folder, and "
        "nothing is encrypted; names others use for this machine are given with --allow-host",
        err=True,
    )


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket on the port that was asked for, or on the first free one."""
    from footfall.core.errors import ParameterError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tried = range(PORT, PORT + TRIES) if port is None else (port,)
    why = "it is taken"
    for number in tried:
        try:
            return socket.create_server((host.strip("[]"), number), family=family, backlog=128)
        except OSError as error:
            why = error.strerror or str(error)
    cure = "give another: --port N" if port is not None else "give a free one: --port N"
    raise ParameterError(f"the studio cannot listen on {host} port {tried[-1]} ({why}); {cure}")


def _run(folder: Path | None, listening: socket.socket, token: str, hosts: tuple[str, ...], browser: bool) -> None:
    """Serve until stopped; only a clean end makes the key worthless, so that pages come back after a crash."""
    from footfall.studio.early_app import early_app
    from footfall.studio.secret import give_up, take_up
    from footfall.studio.security import Guard
    from footfall.studio.sockets import make_server

    _log_to_terminal()
    address, port = listening.getsockname()[:2]
    guard = Guard(take_up(port, token), port, hosts)
    problems: list[BaseException] = []

    def failed(problem: BaseException) -> None:
        problems.append(problem)
        server.should_exit = True

    server = make_server(early_app(folder, guard, failed), address, port)
    name = "127.0.0.1" if address in ("127.0.0.1", ANY[0]) else "[::1]" if address in ("::1", ANY[1]) else address
    link = link_to(name, port, guard.token)
    own = f"http://{name}:{port}/"
    threading.Thread(target=_open, args=(server, link, guard if browser else None, own), daemon=True).start()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what uvicorn passes on when it has ended must not kill
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        click.echo("footfall: the studio has ended", err=True)
    give_up(port)
    if problems:
        raise problems[0]
    _leave_threads()


def link_to(name: str, port: int, token: str) -> str:
    """The address that lets a browser in; a key given by hand may hold signs that mean something in one."""
    return f"http://{name}:{port}/?token={quote(token, safe='')}"


def _leave_threads() -> None:
    """Everything has ended in order; a thread that still computes, a take for one, must not hold the terminal."""
    if any(thread is not threading.main_thread() for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _open(server: Any, link: str, guard: Guard | None, own: str) -> None:
    """Once it answers: print the link, and let a browser in, where there is a guard to ask for a key for it."""
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.02)
    click.echo(f"footfall studio: {link}\n(Ctrl-C ends it)")
    if guard is not None:
        _open_browser(guard, own)


def _open_browser(guard: Guard, own: str) -> None:
    """By a page in a file with a key for one time: other users can read the command line that opens it."""
    import webbrowser

    from footfall.studio.secret import write_page

    key = guard.once.new()
    try:
        page = write_page(guard.port, f"{own}?once={quote(key, safe='')}")
    except OSError:  # nowhere to write: the printed link is there
        return
    webbrowser.open(page.as_uri())
    while guard.once.is_good(key):
        time.sleep(0.2)
    page.unlink(missing_ok=True)


def _log_to_terminal() -> None:
    import logging

    from footfall.core.errors import one_line

    class Plain(logging.Formatter):
        """Names of files are strangers' text: a terminal would obey what they hold."""

        def formatMessage(self, record: logging.LogRecord) -> str:
            return one_line(super().formatMessage(record))

    handler = logging.StreamHandler()
    handler.setFormatter(Plain("footfall studio %(asctime)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("footfall.studio")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
