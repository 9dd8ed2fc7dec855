"""Studio: the one session that all pages share: project, takes, library, exports and live characters.

Everything here runs on the event loop; long work is given to threads, and what they find comes back to the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

from footfall import __version__
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.studio import edits, frames
from footfall.studio import messages as m
from footfall.studio.blend_room import BlendRoom
from footfall.studio.clip_names import ClipNames
from footfall.studio.clip_notes import ClipNotes
from footfall.studio.edits import sentence
from footfall.studio.exports import Jobs, as_asked
from footfall.studio.floor_edits import apply
from footfall.studio.join_messages import CureClip, UseJoin
from footfall.studio.join_report import ENDING, write_report
from footfall.studio.join_room import JoinRoom
from footfall.studio.last_take import LastTake
from footfall.studio.library import Library, plain_name
from footfall.studio.like import Likeness
from footfall.studio.live import Page
from footfall.studio.live_room import LiveRoom
from footfall.studio.path_walk import even_line
from footfall.studio.project import OpenProject, demo
from footfall.studio.project_files import ProjectFiles
from footfall.studio.project_scene import ProjectScene
from footfall.studio.shelf import BUILT_IN, Shelf
from footfall.studio.store import Store
from footfall.studio.synthesis import Arranged, PreviewDone, Synthesis, TakeDone

LOG = logging.getLogger("footfall.studio")
PREPARE_S = 4.0  # after the first take the live character is made ready, before anybody asks for it
QUIET_S = 4.0  # without an edit or a drag, nobody notices that the studio is busy for a moment
SWITCH_S = 0.0005  # after which a thread that computes lets the loop have its turn
METHODS = (
    m.Method("transition", "both swing the same foot: the one becomes the other in that step"),
    m.Method("connection", "the swing of the first ends in the posture the second starts from"),
    m.Method("adaptation", "both feet are down: the second starts on the first one's footprints"),
)


class Studio:
    """The session."""

    def __init__(self, folder: Path | None = None, motions: Sequence[str] | None = None) -> None:
        """motions: built-in ones that are offered from the start; all by default."""
        self.folder = Path(folder).resolve() if folder is not None else None
        self.library = Library(self.folder, self._on_loop(self._added), motions)
        self.names = ClipNames(self.library)
        self.jobs = Jobs(self._on_loop(self.broadcast))
        self.store = Store(self.folder)
        self.notes = ClipNotes(self.store.private / "clips.json")
        self.likeness = Likeness(self.library)
        self.shelf = Shelf(self.library, self._on_loop(lambda _: self.broadcast(m.Characters(self.shelf.items()))))
        self.synthesis = Synthesis(self._on_loop(self._made))
        self.live = LiveRoom(self.library, self.folder, self.broadcast, self.shelf)
        self.joins = JoinRoom(self.library)
        self.blend = BlendRoom(self.library, self.broadcast, self._keep_space)
        self.scene = ProjectScene(
            self.live.grounds, self.broadcast, self._on_loop(lambda done: self.take.grounded(done))
        )
        self.files = ProjectFiles(self.store, self.names, lambda: demo(), self._shown, self.broadcast)
        self._pages: set[Page] = set()
        self.take = LastTake(lambda: self.project, self.scene, self._pages)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._changed_at = 0.0  # when somebody last edited or dragged
        self._switch_s = sys.getswitchinterval()

    @property
    def project(self) -> OpenProject:
        """The one that is open."""
        return self.files.project

    # --- its life -----------------------------------------------------------------------------------------------------
    async def start(self) -> None:
        """Open the demo, or what was open last, and begin to work."""
        self._loop = asyncio.get_running_loop()
        sys.setswitchinterval(SWITCH_S)
        await asyncio.to_thread(self.notes.read)
        self.library.start()
        self.shelf.start()
        self.synthesis.start()
        await self.files.look()
        await self.take.read_first()
        self._telling = asyncio.create_task(self.take.tell_preparing())
        await self.files.begin()

    async def stop(self) -> None:
        """End everything; what is not saved stays to be recovered."""
        for task in (self._preparing, self._telling):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self.files.end()
        await self.live.stop()
        await self.joins.stop()
        self.blend.stop()
        self._loop = None
        for part in (self.synthesis, self.jobs, self.library, self.shelf, self.scene):
            await asyncio.to_thread(part.stop)
        self.store.close()
        sys.setswitchinterval(self._switch_s)

    async def join(self, page: Page) -> None:
        """A page is there: it gets all there is."""
        files, graphs = await asyncio.to_thread(lambda: (self.store.files(), self.live.names()))
        self._pages.add(page)  # now, so that its welcome comes first and nothing after that is missed
        page.send(
            m.Welcome(
                __version__, str(self.folder) if self.folder else None,
                tuple(self.notes.marked(item) for item in self.library.items()), BUILT_IN, METHODS,
                graphs, files, self.files.recoverable,
            )
        )  # fmt: skip
        for told in self.files.damaged:
            page.send(m.Problem("project", told))
        page.send(self.project.message())
        self.take.send(page)
        page.send(self.scene.message)
        page.send(m.Characters(self.shelf.items()))
        page.send(m.GroundList(await asyncio.to_thread(self.live.grounds.items)))
        page.send(await asyncio.to_thread(self.files.listed))
        page.send(self.blend.names())

    async def leave(self, page: Page) -> None:
        """A page is gone."""
        self._pages.discard(page)
        self.synthesis.drop(page)
        self.blend.leave(page)
        await self.live.leave(page)
        await self.joins.leave(page)

    def broadcast(self, message: m.ToPage) -> None:
        """To every page."""
        for page in list(self._pages):
            page.send(message)

    async def handle(self, page: Page, message: m.ToServer) -> None:
        """What a page asks for; what cannot be done is told in one sentence where it happened."""
        if isinstance(message, m.Edit | m.Drag):
            self._changed_at = time.monotonic()
        try:
            await _HANDLERS[type(message)](self, page, message)
        except FootfallError as error:
            serial = message.serial if isinstance(message, m.Drag) else None
            page.send(m.Problem(_where(message), sentence(error), serial))

    def _added(self, item: m.LibraryItem) -> None:
        self.broadcast(m.Added(self.notes.marked(item)))

    async def _mark(self, page: Page, message: m.Mark) -> None:
        item = next((one for one in self.library.items() if one.key == message.key), None)
        if item is None:
            raise ParameterError("the library has no such clip any more; choose one of those listed")
        await asyncio.to_thread(self.notes.note, message.key, message.name, message.favourite)
        self._added(item)

    async def _remove(self, page: Page, message: m.Remove) -> None:
        tracks = self.project.document.tracks
        if self.shelf.holds(message.key):
            if any(track.character == message.key for track in tracks):
                raise ParameterError("a track is played by it; give the track another character first")
            await asyncio.to_thread(self.shelf.remove, message.key)
            return
        used = {clip.clip for track in tracks for clip in track.clips}
        keys = self.library.together(message.key)
        if used.intersection(keys):
            raise ParameterError("it is on the timeline; take it off there first")
        await asyncio.to_thread(self.library.remove, message.key)
        self.broadcast(m.Removed(keys))

    async def _like(self, page: Page, message: m.Like) -> None:
        keys = [item.key for item in self.library.items() if item.problem is None]
        at = edits.finite("time", message.time_s)
        found = await asyncio.to_thread(self.likeness.find, message.key, at, keys)
        page.send(m.Alike(message.key, found))

    def skin_file(self, track: int) -> Path | None:
        """The file of a track's character, where it came from the shelf."""
        found = next((one.character for one in self.project.document.tracks if one.id == track), None)
        return self.shelf.file(found) if found is not None and self.shelf.holds(found) else None

    def skin_clip(self, track: int) -> Clip | None:
        """The take of a track, for its skin."""
        return self.take.done.clips.get(track) if self.take.done is not None else None

    # --- changes ------------------------------------------------------------------------------------------------------
    async def _hello(self, page: Page, message: m.Hello) -> None:
        await self.join(page)

    async def _edit(self, page: Page, message: m.Edit) -> None:
        if isinstance(message.change, m.SetGround):
            await asyncio.to_thread(self.scene.open, message.change.ground)  # a file may take its time
        self.project.edit(message.change, self._context(), message.label)
        self._changed()

    async def _drag(self, page: Page, message: m.Drag) -> None:
        document = apply(self.project.document, message.change, self._context())
        playhead = edits.finite("playhead", message.playhead_s)
        arranged = Arranged(document, self.project.kept, self.names.entry)
        dragged = getattr(message.change, "id", None)
        if isinstance(message.change, m.AddClip):
            dragged = self.project.next_id + (1 if message.change.track is None else 0)
        self.synthesis.drag(page, arranged, m.Drag(message.change, message.serial, playhead), dragged)

    async def _drag_end(self, page: Page, message: m.DragEnd) -> None:
        self.synthesis.drop(page)

    async def _undo(self, page: Page, message: m.Undo) -> None:
        if not self.project.done and self.project.before is not None:
            await self.files.go_back()
            return
        self.project.undo()
        self._changed()

    async def _redo(self, page: Page, message: m.Redo) -> None:
        self.project.redo()
        self._changed()

    def _changed(self) -> None:
        """Tell everyone, make it, and keep it on disk."""
        self.broadcast(self.project.message())
        self.blend.offer(self.project.document.spaces)
        self.synthesis.take(self._arranged(), self.project.revision)
        self.files.changed()

    def _context(self) -> edits.Context:
        take = self.take.done
        used = {track.character for track in self.project.document.tracks if track.character}
        return edits.Context(
            self._is_usable, self.project.next_id, take.starts_s if take else {}, take.ends_s if take else {},
            (*self.shelf.keys(), *used),
            self.library.animation, self.scene.root_at, self.scene.begins, self.scene.open,
        )  # fmt: skip

    def _is_usable(self, key: str) -> bool:
        """Whether a clip can be put on the timeline; one that is not looked at yet can, and says later if it fails."""
        try:
            self.library.entry(key)
        except FootfallError:
            return False
        return all(item.problem is None for item in self.library.items() if item.key == key)

    # --- takes --------------------------------------------------------------------------------------------------------
    def _arranged(self) -> Arranged:
        return Arranged(self.project.document, self.project.kept, self.names.entry)

    def _made(self, done: TakeDone | PreviewDone) -> None:
        """The synthesis has something."""
        if isinstance(done, PreviewDone):
            page = cast("Page", done.client)
            if page in self._pages:
                for track, data in done.frames.items():
                    page.send_frame(frames.PREVIEW, track, self.scene.shown(data))
                page.send(done.message)
            return
        self.take.made(done)
        if self._preparing is None and self._loop is not None:
            self._preparing = self._loop.create_task(self._prepare_live())

    async def take_of_now(self, measured: bool = False) -> TakeDone:
        """The take of what is arranged now, as soon as it is made and stands on its ground."""
        return await self.take.of_now(measured)

    async def _export(self, page: Page, message: m.Export) -> None:
        take = await self.take_of_now()
        ids = list(take.clips) if message.track is None else [message.track]
        starts = {view.id: view.start_s for view in take.message.tracks}
        clips = await asyncio.to_thread(
            lambda: [as_asked(take.clips[i], starts.get(i, 0.0), message) for i in ids if i in take.clips]
        )
        own = Path(self.project.path).name.partition(".")[0] if self.project.path else ""
        self.jobs.export(
            clips,
            message.format,
            edits.name_of(message.name[:200]) or own,
            message.large,
            self.scene.ground,
            message.bare,
        )

    async def _report_join(self, page: Page, message: m.ReportJoin) -> None:
        take = await self.take_of_now(measured=True)
        wanted = (message.before, message.after)
        found = ((view.id, join) for view in take.message.tracks for join in view.joins)
        track, join = next(((t, j) for t, j in found if (j.before, j.after) == wanted), (0, None))
        if join is None or track not in take.made:
            raise ParameterError("there is no such join any more; choose one on the timeline")
        made = take.made[track]
        report = await asyncio.to_thread(made.report, join)
        name = plain_name(f"{report.first.name} to {report.second.name}") + ENDING
        self.jobs.write(name, lambda path, told: write_report(path, report, made.clip, made.start_s, told))

    async def _joins(self, page: Page, message: Any) -> None:
        await self.joins.handle(page, message)

    async def _cure_clip(self, page: Page, message: CureClip) -> None:
        clip = await self.joins.cured(message)
        await asyncio.to_thread(self.library.add_clip, clip, clip.name)

    async def _use_join(self, page: Page, message: UseJoin) -> None:
        clip = await self.joins.made(message)
        name = f"{clip.name} {message.method}".replace("_", " ")
        item = await asyncio.to_thread(self.library.add_clip, clip, name)
        self.project.edit(m.AddClip(item.key, message.track), self._context(), f"add {item.name}")
        self._changed()

    async def _draw_walk(self, page: Page, message: m.DrawWalk) -> None:
        even_line(message.points)  # before a graph is made for a line that nobody can walk
        graph = await self.live.graph()
        track = None if message.track is None else edits.track_of(self.project.document, message.track)
        clip = await asyncio.to_thread(self.scene.walk, graph, message, track)
        item = await asyncio.to_thread(self.library.add_clip, clip, clip.name)
        self.project.edit(m.AddClip(item.key, message.track), self._context(), f"draw a {message.motion}"[:80])
        self._changed()

    async def _cancel(self, page: Page, message: m.Cancel) -> None:
        if message.job < 0:
            self.live.cancel(message.job)
        else:
            self.jobs.cancel(message.job)

    # --- files --------------------------------------------------------------------------------------------------------
    async def _new(self, page: Page, message: m.New) -> None:
        await self.files.new(message)

    async def _open(self, page: Page, message: m.Open) -> None:
        warning = await self.files.open(message.path)
        if warning:
            page.send(m.Problem("project", warning))

    async def _save(self, page: Page, message: m.Save) -> None:
        await self.files.save(message.path)

    async def _recover(self, page: Page, message: m.Recover) -> None:
        await self.files.recover(message.keep)

    def _shown(self) -> None:
        """Another project is open."""
        self.take.forget()
        self.broadcast(self.project.message())
        self.blend.offer(self.project.document.spaces)
        self.synthesis.take(self._arranged(), self.project.revision)

    # --- live ---------------------------------------------------------------------------------------------------------
    async def _prepare_live(self) -> None:
        """So that Live opens at once; a failure is told to whoever opens it."""
        await asyncio.sleep(PREPARE_S)
        try:
            await self.live.prepare(lambda: time.monotonic() - self._changed_at > QUIET_S)
        except Exception:
            LOG.exception("the live character could not be made ready")

    async def _live(self, page: Page, message: Any) -> None:
        await self.live.handle(page, message)

    def _keep_space(self, space: m.OwnSpace) -> None:
        """A blend space somebody made belongs to the project."""
        self.project.edit(m.KeepSpace(space), self._context(), f"make the blend space {space.name}"[:80])
        self._changed()

    async def _blend(self, page: Page, message: Any) -> None:
        await self.blend.handle(page, message)

    def _on_loop(self, told: Callable[[Any], None]) -> Callable[[Any], None]:
        """A function for other threads that has `told` called on the loop."""

        def later(what: Any) -> None:
            loop = self._loop
            if loop is not None:
                with contextlib.suppress(RuntimeError):  # the loop may have ended, and every page with it
                    loop.call_soon_threadsafe(told, what)

        return later


def _where(message: m.ToServer) -> str:
    """In which part of the page a problem is shown."""
    if isinstance(message, m.Edit | m.Drag | m.DragEnd | m.Undo | m.Redo | m.DrawWalk):
        return "timeline"
    if isinstance(message, m.Mark | m.Like | m.Remove):
        return "library"
    if isinstance(message, m.CompareJoins | m.MapJoins | m.UseJoin | m.MapLibrary | m.CureClip):
        return "joins"
    if type(message) in _BLEND:
        return "blend"
    return "live" if type(message) in _LIVE else "project"


_BLEND = (m.BlendOpen, m.BlendAsk, m.BlendMaps, m.BlendMake, m.BlendKeep, m.BlendClose)
_LIVE = (
    m.LiveStart, m.LiveSteer, m.LiveAct, m.LiveRecord, m.LiveStop, m.LiveMake, m.LiveLook, m.LiveShove, m.LiveCrowd,
    m.LiveSeen,
)  # fmt: skip
_HANDLERS: dict[type, Callable[[Studio, Page, Any], Awaitable[None]]] = {
    m.Hello: Studio._hello, m.Edit: Studio._edit, m.Drag: Studio._drag, m.DragEnd: Studio._drag_end,
    m.Undo: Studio._undo, m.Redo: Studio._redo, m.New: Studio._new, m.Open: Studio._open,
    m.Save: Studio._save, m.Recover: Studio._recover, m.Export: Studio._export, m.Cancel: Studio._cancel,
    m.DrawWalk: Studio._draw_walk, m.ReportJoin: Studio._report_join,
    m.Mark: Studio._mark, m.Remove: Studio._remove, m.Like: Studio._like,
    m.CompareJoins: Studio._joins, m.MapJoins: Studio._joins, m.UseJoin: Studio._use_join,
    m.MapLibrary: Studio._joins, m.CureClip: Studio._cure_clip,
    **dict.fromkeys(_LIVE, Studio._live), **dict.fromkeys(_BLEND, Studio._blend),
}  # fmt: skip
