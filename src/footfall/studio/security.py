"""Who may talk to the studio, and which files a name may mean: host, origin and token checks, and safe_join.

Loopback is no fence: any page the user opens can send requests to it, and by DNS rebinding read the answers. So every
request must name this studio as its host, come from its own page (or carry the token in a header), and show a secret
that only the link printed on the terminal has. All of it is an allow-list: what is not named here is refused.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from footfall.core.errors import ParameterError

LOG = logging.getLogger("footfall.studio")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
READING = ("GET", "HEAD")  # every other method changes something
HEADER = "token "  # Authorization: token …
HEADERS = {  # of every answer; no CORS header is ever sent
    "content-security-policy": (
        "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; connect-src 'self' blob:; "
        "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)", re.IGNORECASE)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
ONE_TIME_S = 60.0  # so long a key for one browser is good: a slow start of a browser, doubled; by eye
MOST_NAME, MOST_PATH = 200, 1000  # characters


# --- names of files ---------------------------------------------------------------------------------------------------


def safe_join(root: Path, user_path: str) -> Path:
    """The file that a relative path with forward slashes names below a folder; anything that could leave it is refused.

    Refused as text, before the disk is touched: absolute paths, drives, shares, backslashes, "..", hidden files,
    control characters, escapes left after decoding, devices. Then links are followed, and must end below the folder.
    """
    wrong = _wrong_path(user_path)
    if wrong:
        raise ParameterError(f"{shown(user_path)} {wrong}; name a file below the folder, such as walks/slow.bvh")
    base = root.resolve()
    found = (base / user_path).resolve()
    if not found.is_relative_to(base) or found == base:
        raise ParameterError(f"{shown(user_path)} leads out of the folder; name a file below it")
    return found


def safe_name(root: Path, name: str) -> Path:
    """The same for a single name, without folders."""
    if "/" in name:
        raise ParameterError(f"{shown(name)} names a folder too; give the file's name alone")
    return safe_join(root, name)


def _wrong_path(path: str) -> str:
    """Why a path is refused; empty where it is not."""
    if not path or len(path) > MOST_PATH:
        return "is empty" if not path else f"is longer than {MOST_PATH} characters"
    if any(ord(c) < 32 or ord(c) == 127 for c in path) or any(0xD800 <= ord(c) < 0xE000 for c in path):
        return "holds control characters"
    if "\\" in path or ":" in path or path.startswith(("/", "~")):
        return "is an absolute path, a drive or a share"
    if _ESCAPE.search(path):
        return "holds percent escapes"
    for part in path.split("/"):
        if part in ("", ".", "..") or part.startswith("."):
            return "holds an empty, hidden or parent folder"
        if part.endswith((" ", ".")) or part.startswith(" ") or len(part) > MOST_NAME or _DEVICE.match(part):
            return "holds a name that not every system can have"
    return ""


def shown(text: str) -> str:
    """What a stranger sent, as it may stand in a message or a log line: printable, on one line, not endless."""
    return repr(text[:80] + ("…" if len(text) > 80 else ""))


# --- who asks ---------------------------------------------------------------------------------------------------------


class OneTimeKeys:
    """Keys that let one browser in once, and soon: what stands in a file or a command line is worth nothing after."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}  # of the key's hash: when it ends
        self._lock = threading.Lock()

    def new(self) -> str:
        key = new_token()
        with self._lock:
            self._until[_digest(key)] = time.monotonic() + ONE_TIME_S
        return key

    def is_good(self, key: str) -> bool:
        """Whether it would be taken now."""
        with self._lock:
            return self._until.get(_digest(key), 0.0) > time.monotonic()

    def take(self, key: str) -> bool:
        """Whether it is good; from now on it is not."""
        with self._lock:
            return self._until.pop(_digest(key), 0.0) > time.monotonic()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Guard:
    """What a request must show."""

    token: str
    port: int
    more_hosts: tuple[str, ...] = ()  # names people reach it by, "studio.example" or "studio.example:443"
    once: OneTimeKeys = field(default_factory=OneTimeKeys, compare=False)

    @property
    def hosts(self) -> frozenset[str]:
        """Host headers that mean this studio."""
        own = {f"{host}:{self.port}" for host in LOOPBACK} | (set(LOOPBACK) if self.port == 80 else set())
        given = {h if re.search(r":\d+$", h) else f"{h}:{self.port}" for h in self._given_hosts}
        return frozenset(own | given | self._given_hosts)

    @property
    def _given_hosts(self) -> frozenset[str]:
        """As a Host header writes them: in small letters, addresses with colons in brackets."""
        names = (host.strip().lower() for host in self.more_hosts)
        return frozenset(f"[{n}]" if n.count(":") > 1 and not n.startswith("[") else n for n in names)

    @property
    def cookie_name(self) -> str:
        return f"footfall-{self.port}"  # cookies do not tell ports apart, so the name does

    @property
    def cookie_value(self) -> str:
        """Shows that its owner once had the token, and cannot be turned back into it."""
        return hmac.new(self.token.encode(), b"footfall studio cookie", hashlib.sha256).hexdigest()

    def is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def has_header(self, headers: Mapping[str, str]) -> bool:
        """Whether a request carries the token as a program sends it; no other site's page can make a browser do so."""
        given = headers.get("authorization", "")
        return given[: len(HEADER)].lower() == HEADER and self.is_token(given[len(HEADER) :].strip())

    def has_cookie(self, headers: Mapping[str, str]) -> bool:
        pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        values = [value for name, _, value in pairs if name == self.cookie_name]
        return any(hmac.compare_digest(value.encode(), self.cookie_value.encode()) for value in values[:4])

    def refusal(self, kind: str, method: str, headers: Mapping[str, str], asked: str = "") -> str:
        """Why a request is refused; empty where it is not. kind: http or websocket; asked: the token of the address."""
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        by_header = self.has_header(headers)
        if host not in self.hosts:
            return f"host {shown(host)} is not this studio's"
        if origin is not None and not self._is_own(origin, host):
            return f"origin {shown(origin)} is not this studio's page"
        if kind == "websocket":
            if origin is None and not by_header:
                return "a socket without an origin and without the token header"
            return "" if by_header or self.has_cookie(headers) else "a socket without the cookie"
        if method not in READING:
            return "" if by_header else f"{shown(method)} without the token header"
        known = by_header or self.has_cookie(headers) or (asked != "" and self.is_token(asked))
        return "" if known else "no cookie of this studio"

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is ours: the very host that is asked; by https only where a proxy was named."""
        origin = origin.lower()
        proxied = host.rpartition(":")[0] in self._given_hosts or host in self._given_hosts
        return origin == f"http://{host}" or (proxied and origin == f"https://{host}")


def new_token() -> str:
    return secrets.token_urlsafe(32)
