"""A process for slow work beside the studio (`folder_maker`, `body_maker`): started, followed and ended.

It gets what is wanted as one line of JSON and says lines of JSON: how far it is, a problem, or what it has found.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from footfall.core.errors import ParameterError

LOG = logging.getLogger("footfall.studio")
MOST_LINE = 16 << 20  # bytes of one line: all rows with their figures


class Ended(Exception):
    """It was told to stop."""


class MakerProcess:
    """One making at a time."""

    def __init__(self, module: str, busy: str) -> None:
        """module: what is run; busy: what is said to whoever asks for another meanwhile."""
        self._module, self._busy = module, busy
        self._process: asyncio.subprocess.Process | None = None
        self._is_ended = False

    @property
    def is_busy(self) -> bool:
        return self._process is not None

    async def run(
        self, arguments: Sequence[str], wanted: dict[str, Any], told: Callable[[float, str], None]
    ) -> dict[str, Any]:
        """What the process found; told gets the share that is done and what is being done."""
        if self.is_busy:
            raise ParameterError(self._busy)
        self._is_ended = False
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-P", "-m", self._module, *arguments)
        self._process = process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=MOST_LINE,
            start_new_session=sys.platform != "win32",
        )  # fmt: skip
        try:
            return await self._follow(process, wanted, told)
        finally:
            self._kill(process)
            await process.wait()
            self._process = None

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self._is_ended = True
        if self._process is not None:
            self._kill(self._process)

    async def _follow(
        self, process: asyncio.subprocess.Process, wanted: dict[str, Any], told: Callable[[float, str], None]
    ) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(wanted).encode())
        process.stdin.close()
        found: dict[str, Any] | None = None
        async for line in process.stdout:
            said = json.loads(line)
            if "problem" in said:
                raise ParameterError(said["problem"])
            if "share" in said:
                told(said["share"], said["text"])
            else:
                found = said
        if self._is_ended:
            raise Ended
        if found is None:
            raise ParameterError("the process that was to make it ended early; there may be too little memory")
        return found

    def _kill(self, process: asyncio.subprocess.Process) -> None:
        """It and the workers it has begun."""
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                process.kill()
            else:
                import os
                import signal

                os.killpg(process.pid, signal.SIGKILL)
