"""Uploads: a file streamed to disk within a limit, looked at by the describing process, and kept or removed."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from footfall.core.errors import FootfallError, ParameterError
from footfall.io.cache_folder import forget_old
from footfall.studio.answers import text_answer
from footfall.studio.library import Library, free_path
from footfall.studio.messages import CharacterItem, LibraryItem
from footfall.studio.security import shown
from footfall.studio.shelf import Shelf

LOG = logging.getLogger("footfall.studio")
MOST_BYTES = 200 * 1000 * 1000
CHUNK_S = 30.0  # so long may pass without a byte
MOST_AT_ONCE = 4
LEFT_S = 3600.0  # a part that nothing was written to for so long is nobody's


class Refusal(Exception):
    """An answer that ends an upload."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class Uploads:
    """Takes files for a library."""

    def __init__(self, library: Library, most_bytes: int = MOST_BYTES, shelf: Shelf | None = None) -> None:
        self.library, self.most_bytes, self.shelf = library, most_bytes, shelf
        self._turn = asyncio.Semaphore(MOST_AT_ONCE)

    async def take(self, request: Request) -> Response:
        """POST /upload?name=walk.bvh with the file as the body: the new library items as JSON.

        With as=character it goes to the shelf, and the answer is its item there.
        """
        name = request.query_params.get("name", "")
        try:
            async with self._turn:
                items = await self._kept(name, request)
        except Refusal as refusal:
            LOG.warning("upload of %s refused: %s", shown(name), refusal.text)
            return text_answer(refusal.status, refusal.text)
        except ClientDisconnect:
            LOG.warning("upload of %s ended before its end", shown(name))
            return text_answer(400, "The upload ended before its end.")
        LOG.info("uploaded %s", shown(name))
        return Response(msgspec.json.encode(items), media_type="application/json")

    async def _kept(self, name: str, request: Request) -> tuple[LibraryItem | CharacterItem, ...]:
        part, declared = None, request.headers.get("content-length")
        shelf = self.shelf if request.query_params.get("as") == "character" else None
        try:
            target = self.library.upload_path(name) if shelf is None else shelf.upload_path(name)
            if declared is not None and (not declared.isdigit() or int(declared) > self.most_bytes):
                raise self._too_large()
            part = await asyncio.to_thread(_part_file, target.parent)
            await self._stream(request.stream(), part)
            if shelf is not None:
                return (await asyncio.to_thread(_shelved, shelf, part, target),)
            return await asyncio.to_thread(self._entered, part, target)
        except ParameterError as error:  # no such name can be, or a link of that name leads elsewhere
            raise Refusal(400, str(error)) from error
        except OSError as error:
            raise Refusal(507, f"The upload could not be written: {error.strerror or error}.") from error
        finally:
            if part is not None:
                part.unlink(missing_ok=True)

    def _too_large(self) -> Refusal:
        return Refusal(413, f"An upload may have {self.most_bytes / 1e6:g} MB; put a larger file into the folder.")

    async def _stream(self, chunks: AsyncIterator[bytes], part: Path) -> None:
        """The body to the file, as it comes; what it declares is not believed."""
        written = 0
        source = aiter(chunks)
        with part.open("wb") as file:
            while True:
                try:
                    async with asyncio.timeout(CHUNK_S):
                        chunk = await anext(source)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise Refusal(408, f"Nothing came for {CHUNK_S:g} s; send the file again.") from None
                written += len(chunk)
                if written > self.most_bytes:
                    raise self._too_large()
                await asyncio.to_thread(file.write, chunk)

    def _entered(self, part: Path, target: Path) -> tuple[LibraryItem, ...]:
        """The file under its own name and in the library; a file that cannot be used leaves nothing behind."""
        known = self.library.known_upload(part)
        if known:
            return known
        with self.library.naming:
            kept = free_path(target.parent, target.name)
            os.replace(part, kept)
        try:
            return self.library.add_file(kept)
        except FootfallError as error:
            kept.unlink(missing_ok=True)
            raise Refusal(422, str(error)) from error


def _shelved(shelf: Shelf, part: Path, target: Path) -> CharacterItem:
    try:
        return shelf.add_file(part, target)
    except FootfallError as error:
        raise Refusal(422, str(error)) from error


def _part_file(folder: Path) -> Path:
    """A hidden file to write to; those that a killed studio left there are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    forget_old(folder, ".upload-*.part", LEFT_S)
    handle, name = tempfile.mkstemp(prefix=".upload-", suffix=".part", dir=folder)
    os.close(handle)
    return Path(name)
