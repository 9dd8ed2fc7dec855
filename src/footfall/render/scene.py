"""Scene: what is in a picture — actors, theme, camera, floor marks — and one frame of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.kinematics.fk import world_transforms
from footfall.kinematics.ground import Ground
from footfall.render.camera import Camera, CameraTrack, track, triple
from footfall.render.figure import ADULT_M, LEFT, RIGHT, Figure, build_figure, pose_figure
from footfall.render.marks import Marks, join, no_marks, prints, trail
from footfall.render.picture import Appearance, CameraView
from footfall.render.raycast import Solids, decals, draw, solids
from footfall.render.skin import PosedSkin, draw_skins, lowest_of_feet, outline_of, posed_vertices
from footfall.render.terrain import LEVEL, Terrain, terrain_of
from footfall.render.theme import Theme, linear, theme_of

MAX_SIDE, MAX_PIXELS = 8192, 32_000_000
RESTING = 0.35  # quantile of the figure's lowest height that is the floor: mid stance in a walk and in a run
LOWEST, CLIMBS_M = 0.02, 0.08  # the quantile of one that climbs, metres from the other: it is not shown in the floor
TARGET_M = 0.05  # radius of a target's ball at a body height of 1.75 m: a wrist inside does not hide it
AROUND = 5.0  # metres of ground about the way, at a body height of 1.75 m
FRAMING_POSES = 60  # poses looked at to place the camera
SKIN_POSES = 24  # poses of a skin looked at to find the floor


@dataclass(frozen=True)
class Actor:
    """One character: its motion, its colour (#rrggbb; None: the theme's next), a label, and where it is put."""

    clip: Clip
    color: str | None = None
    label: str = ""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres, after the turn
    turn: float = 0.0  # radians about the world's vertical, positive to the left
    target: tuple[float, float, float] | None = None  # a point that the motion goes for, shown as a ball beside figures


@dataclass(frozen=True)
class Scene:
    """Actors on one floor, seen by one camera. Every actor starts at time 0 and holds its last pose.

    Characters that came with a skin are drawn with it where every actor has one; else all are figures.
    """

    actors: Sequence[Actor]
    theme: str | Theme = "light"
    camera: Camera = field(default_factory=Camera)
    trail: bool = True
    contacts: bool = True
    title: str = ""
    ground: Ground | None = None  # what they stand on; a level floor without it

    def __post_init__(self) -> None:
        if not self.actors:
            raise ParameterError("a scene needs at least one actor")

    @property
    def duration(self) -> float:
        """Seconds until the last actor has ended."""
        return max(a.clip.duration for a in self.actors)


@dataclass(frozen=True)
class DressedActor:
    """An actor made ready: its figure, where it is put (feet at height 0), and the colours of its cones."""

    clip: Clip
    figure: Figure
    offset: np.ndarray  # (3,)
    turn: float
    color: np.ndarray  # (N, 3) linear
    has_skin: bool = False  # it is drawn with its own
    target: np.ndarray | None = None  # (3,) of the clip's world

    def place(self, points: np.ndarray) -> np.ndarray:
        """Points of the clip (..., 3) where the actor stands in the scene."""
        return rotation.rotate(rotation.yaw(self.turn), points) + self.offset

    def skin(self, t_s: float, alpha: float = 1.0) -> PosedSkin:
        """Its own skin at a time."""
        assert self.clip.skin is not None
        return PosedSkin(self.clip.skin, self.place(posed_vertices(self.clip, t_s)), alpha)

    def outline(self, t_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Balls that hold what is drawn of it: places (..., K, 3) at times (...), and radii (K,)."""
        if self.has_skin:
            places = self.place(outline_of(self.clip, t_s))
            return places, np.zeros(places.shape[-2])
        ends = self.ends(t_s)
        return ends.reshape(*ends.shape[:-3], -1, 3), self.figure.radius.ravel()

    def ends(self, t_s: np.ndarray) -> np.ndarray:
        """Cone ends (..., N, 2, 3) at times (...)."""
        pose = self.clip.sample(t_s)
        return self.place(pose_figure(self.figure, self.clip.skeleton, *world_transforms(self.clip.skeleton, pose)))


class Balls(NamedTuple):
    """Balls in the scene that are no part of an actor."""

    centre: np.ndarray  # (B, 3)
    radius: np.ndarray  # (B,)
    color: np.ndarray  # (B, 3) linear


NO_BALLS = Balls(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)))


@dataclass(frozen=True)
class PreparedScene:
    """A scene made ready for any of its times."""

    scene: Scene
    theme: Theme
    cast: tuple[DressedActor, ...]
    marks: Marks
    track: CameraTrack
    scale: float
    terrain: Terrain = LEVEL


def prepare(scene: Scene, aspect: float, span_s: tuple[float, float] | None = None) -> PreparedScene:
    """Figures, floor marks and camera of a scene, for pictures of this width over height.

    The camera sees all of the motion, or only what happens in a span of time and so comes closer.
    """
    theme = theme_of(scene.theme)
    skins = all(_wears(actor.clip) for actor in scene.actors)
    cast = tuple(_cast(a, theme, n, skins, scene) for n, a in enumerate(scene.actors))
    scale = max(c.figure.height for c in cast) / ADULT_M
    marks = [no_marks()]
    for c in cast:
        if scene.trail:
            marks.append(trail(c.clip, c.place, c.figure.height / ADULT_M))
        if scene.contacts:
            marks.append(prints(c.clip, c.figure, c.place))
    count = max(2, min(FRAMING_POSES, max(c.clip.frames for c in cast)))
    first, last = (0.0, scene.duration) if span_s is None else span_s
    times = np.linspace(first, max(last, first + 1e-6), count)
    drawn = [c.outline(times) for c in cast]
    points = np.concatenate([places for places, _ in drawn], axis=1)
    root = np.mean([places.mean(axis=1) for places, _ in drawn], axis=0)
    radius = np.concatenate([radii for _, radii in drawn])
    seen = track(scene.camera, times, root, points, radius, heading_of(cast[0].clip) + cast[0].turn, aspect)
    terrain = LEVEL
    if scene.ground is not None and not scene.ground.is_level:
        reach = AROUND * scale + 0.5 * float(np.linalg.norm(np.ptp(root, axis=0)))
        terrain = terrain_of(scene.ground, 0.5 * (root.min(axis=0) + root.max(axis=0)), reach, scale)
    return PreparedScene(scene, theme, cast, join(marks), seen, scale, terrain)


def render_frame(scene: Scene, t_s: float, size: tuple[int, int] = (640, 480)) -> np.ndarray:
    """One picture, (H, W, 3) uint8, at a time in seconds."""
    width, height = check_size(size)
    return frame(prepare(scene, width / height), t_s, width, height)


def frame(stage: PreparedScene, t_s: float, width: int, height: int) -> np.ndarray:
    """One picture of a prepared scene."""
    view = stage.track.view(t_s, width, height)
    ends = [c.ends(np.asarray(t_s)) for c in stage.cast]
    skins = [c.skin(t_s) for c in stage.cast if c.has_skin]
    things = pack(stage.cast, ends, [1.0] * len(ends), NO_BALLS if skins else target_balls(stage))
    target = stage.track.target(t_s)
    seen = look(stage.theme, view, target, stage.track.distance, stage.scale)
    picture = draw(view, seen, things, paint_marks(stage, t_s), stage.terrain, only_shadows=bool(skins))
    return draw_skins(picture, view, seen, skins) if skins else picture


def pack(
    cast: Sequence[DressedActor], ends: Sequence[np.ndarray], alphas: Sequence[float], balls: Balls = NO_BALLS
) -> Solids:
    """Cones of posed actors, one figure each; then balls, each a figure of its own."""
    count = [*(len(e) for e in ends), *(1 for _ in balls.centre)]
    before = np.concatenate([[0], np.cumsum(count)])
    pieces = [c.figure.piece + n for c, n in zip(cast, before, strict=False)]
    return solids(
        np.concatenate([*ends, np.stack([balls.centre] * 2, axis=1)]),
        np.concatenate([*(c.figure.radius for c in cast), np.stack([balls.radius] * 2, axis=1)]),
        np.concatenate([*(c.color for c in cast), balls.color]),
        np.repeat([*alphas, *(1.0 for _ in balls.centre)], count),
        np.repeat(np.arange(len(count)), count),
        np.concatenate([*pieces, before[len(ends) : len(count)]]),
    )


def target_balls(stage: PreparedScene) -> Balls:
    """What the actors aim at."""
    aimed = [c for c in stage.cast if c.target is not None]
    if not aimed:
        return NO_BALLS
    centre = np.stack([c.place(c.target) for c in aimed if c.target is not None])
    radius = np.array([TARGET_M * c.figure.height / ADULT_M for c in aimed])
    return Balls(centre, radius, np.tile(linear(stage.theme.target), (len(aimed), 1)))


def paint_marks(stage: PreparedScene, t_s: float) -> np.ndarray:
    """The floor marks as they look at a time."""
    m, theme = stage.marks, stage.theme
    palette = np.stack([linear(theme.left), linear(theme.right), linear(theme.trail)])
    return decals(m.ends, m.radius, palette[m.foot], m.alpha(t_s), m.layer)


def look(theme: Theme, view: CameraView, target: np.ndarray, distance: float, scale: float) -> Appearance:
    """Light and floor for a view: the key light stands to the left of the camera, high and in front."""
    ahead = np.array([view.forward[0], 0.0, view.forward[2]])
    ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
    light = -0.62 * np.array(view.right) - 0.32 * ahead + np.array([0.0, 1.0, 0.0])
    light /= np.linalg.norm(light)
    return Appearance(
        light=triple(light),
        key=theme.key,
        sky=theme.sky,
        bounce=theme.bounce,
        floor=triple(linear(theme.floor)),
        shadow=triple(linear(theme.shadow)),
        line=triple(linear(theme.line)),
        top=triple(linear(theme.top)),
        bottom=triple(linear(theme.bottom)),
        center=(float(target[0]), float(target[2])),
        fade_m=1.15 * distance,
        floor_y=0.0,
        grid_m=10.0 ** float(np.round(np.log10(scale))),
        scale=scale,
        softness=0.10,
        gloss=theme.gloss,
        rim=theme.rim,
    )


def label_places(stage: PreparedScene, t_s: float, width: int, height: int) -> list[tuple[str, float, float]]:
    """Labels of the actors and the pixel above each one's highest point."""
    view = stage.track.view(t_s, width, height)
    places = []
    for actor, cast in zip(stage.scene.actors, stage.cast, strict=True):
        if actor.label:
            ends = cast.ends(np.asarray(t_s))
            high = ends[..., 1] + cast.figure.radius
            top = ends.reshape(-1, 3)[high.argmax()].copy()
            top[1] = high.max() + 0.04 * cast.figure.height
            x, y, z = (float((top - view.eye) @ axis) for axis in (view.right, view.up, view.forward))
            if z > 0.0:
                places.append((actor.label, 0.5 * width + x / z / view.per_px, 0.5 * height - y / z / view.per_px))
    return places


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height a picture can have."""
    width, height = int(size[0]), int(size[1])
    if not (16 <= width <= MAX_SIDE and 16 <= height <= MAX_SIDE and width * height <= MAX_PIXELS):
        raise ParameterError(f"a picture is 16 to {MAX_SIDE} pixels wide and high, got {width}x{height}")
    return width, height


def floor_height(clip: Clip, figure: Figure, ground: Ground | None = None) -> float:
    """Height of the floor under a clip: where the lowest part of its figure rests.

    Joints rest above the floor by the thickness of a foot, which differs by skeleton; the figure's surface does not.
    On a ground, how far over it.
    """
    times = np.linspace(0.0, clip.duration, max(1, min(clip.frames, 240)))
    posed = pose_figure(figure, clip.skeleton, *world_transforms(clip.skeleton, clip.sample(times)))
    if ground is not None:
        under = ground.heights(posed[..., 0], posed[..., 2], posed[..., 1])
        posed[..., 1] -= np.where(np.isfinite(under), under, -np.inf)
    lowest = (posed[..., 1] - figure.radius).min(axis=(1, 2))
    return _resting(lowest) if ground is None else float(np.quantile(lowest, RESTING))


def _resting(lowest: np.ndarray) -> float:
    """Where a figure rests whose lowest heights (T,) are these; at the foot of its stairs, where it climbs."""
    usual, least = np.quantile(lowest, (RESTING, LOWEST)).tolist()
    return least if usual - least > CLIMBS_M else usual


def still_of(clip: Clip) -> Clip:
    """The clip; or its rest pose as one frame, where a file holds only a skeleton."""
    if clip.frames:
        return clip
    skeleton = clip.skeleton
    return clip.with_pose(Pose(skeleton.rest_positions[:1], skeleton.rest[None]))


def heading_of(clip: Clip) -> float:
    """Where a motion goes, radians about +Y: its travel, or its facing when it stays."""
    root = clip.root_motion
    way = root.position[-1] - root.position[0]
    if np.linalg.norm(way) > 0.3 * clip.skeleton.height:
        return float(np.arctan2(way[0], way[2]))
    return float(np.median(root.heading))


def arranged(actors: Sequence[Actor], gap: float = 0.7) -> list[Actor]:
    """Actors made to start side by side and go the same way, when their paths come too close to each other."""
    actors = [replace(a, clip=still_of(a.clip)) for a in actors]
    if len(actors) < 2 or _apart(actors):
        return actors
    way = heading_of(actors[0].clip)
    side = np.array([np.cos(way), 0.0, -np.sin(way)])
    step = gap * max(a.clip.skeleton.height for a in actors)
    moved = []
    for n, actor in enumerate(actors):
        turn = way - heading_of(actor.clip)
        start = rotation.rotate(rotation.yaw(turn), actor.clip.root_motion.position[0])
        place = (n - 0.5 * (len(actors) - 1)) * step * side
        moved.append(replace(actor, offset=triple(place - start), turn=turn))
    return moved


def _apart(actors: Sequence[Actor]) -> bool:
    """Whether all actors keep half a metre (for a person) from each other at all times."""
    times = np.linspace(0.0, max(a.clip.duration for a in actors), FRAMING_POSES)
    roots = np.stack([a.clip.sample(times).root_pos for a in actors])[..., [0, 2]]
    closest = min(
        float(np.linalg.norm(roots[i] - roots[j], axis=-1).min()) for i in range(len(roots)) for j in range(i)
    )
    return closest > 0.3 * max(a.clip.skeleton.height for a in actors)


def _wears(clip: Clip) -> bool:
    """Whether a clip has a skin to be drawn with, made for its own joints."""
    skin = clip.skin
    return skin is not None and skin.look is not None and len(skin.inverse_bind) == len(clip.skeleton)


def _cast(actor: Actor, theme: Theme, number: int, skins: bool, scene: Scene) -> DressedActor:
    clip = still_of(actor.clip)
    figure = build_figure(clip)
    body = linear(actor.color or theme.figures[number % len(theme.figures)])
    color = np.tile(body, (len(figure.part), 1))
    for part, tint in ((LEFT, theme.left), (RIGHT, theme.right)):
        color[figure.part == part] += (theme.crowd_tint if len(scene.actors) > 1 else theme.tint) * (
            linear(tint) - body
        )
    level = scene.ground is None or scene.ground.is_level
    floor = _skin_floor(clip) if skins and level else floor_height(clip, figure, scene.ground)
    offset = np.asarray(actor.offset, float) - np.array([0.0, floor, 0.0])
    target = None if actor.target is None else np.asarray(actor.target, float)
    return DressedActor(clip, figure, offset, actor.turn, color, skins, target)


def _skin_floor(clip: Clip) -> float:
    """Height of the floor under a clip: where the soles of its skin rest."""
    times = np.linspace(0.0, clip.duration, max(1, min(clip.frames, SKIN_POSES)))
    return _resting(lowest_of_feet(clip, times))
