"""A studio on a free port of the loopback, for the benchmark: prints the port, serves until its input is closed.

Where a file is named as well, the pauses of its loop are written there at the end.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from pathlib import Path

TOKEN = "footfall-bench-token-of-no-secret"


def main(folder: str, traced: str = "") -> None:
    """Serve a folder."""
    from footfall.studio.security import Guard
    from footfall.studio.server import app
    from footfall.studio.sockets import make_server
    from footfall.studio.studio import Studio
    from footfall_lab.bench._loop_trace import LoopTrace

    trace = LoopTrace() if traced else None
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    port = int(listening.getsockname()[1])
    server = make_server(app(Studio(Path(folder)), Guard(TOKEN, port)), "127.0.0.1", port)

    def end() -> None:
        sys.stdin.read()  # until whoever started us closes it, or is gone
        server.should_exit = True

    threading.Thread(target=end, daemon=True).start()
    print(port, flush=True)
    server.run(sockets=[listening])
    if trace is not None:
        Path(traced).write_text(json.dumps(trace.pauses))


if __name__ == "__main__":
    main(*sys.argv[1:])
