"""What pictures frame, in a real browser: thumbnails show the body and not its control bones, and Live's camera keeps
the figure clear of the panels."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import browser_studio as b
import numpy as np
import pytest

import footfall as ff
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton

pytestmark = b.marks("long")
CONTROLS_M = ((6.0, 0.0, 0.0), (0.0, 0.0, -9.0), (0.0, 5.0, 0.0))  # how far away animators hang what they pull at
INK = """(canvas) => {
    const { width, height } = canvas, seen = canvas.getContext('2d').getImageData(0, 0, width, height).data;
    let [left, right, top, bottom] = [width, 0, height, 0];
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (seen[4 * (y * width + x) + 3] > 64) {
        [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    }
    return [left / width, right / width, top / height, bottom / height];
}"""
JOINTS = """() => {
    const stage = __footfall.stage, box = stage.element.getBoundingClientRect(), pose = stage.actors.get(-1).pose;
    const found = [];
    for (let i = 0; i < pose.length; i += 7) {
        const v = stage.target.position.clone().fromArray(pose, i).project(stage.view.camera);
        found.push([box.left + (v.x + 1) / 2 * box.width, box.top + (1 - v.y) / 2 * box.height]);
    }
    return found;
}"""


def controlled(clip: ff.Clip) -> ff.Clip:
    """The clip on its body with control bones that move no part of it."""
    own, more = clip.skeleton, len(CONTROLS_M)
    skeleton = Skeleton(
        (*own.names, *(f"ctrl_{n}" for n in range(more))),
        np.concatenate([own.parents, np.zeros(more, own.parents.dtype)]),
        np.concatenate([own.offsets, np.array(CONTROLS_M)]),
        end_parents=own.end_parents,
        end_offsets=own.end_offsets,
    )
    still = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (clip.frames, more, 4))
    pose = Pose(clip.pose.root_pos, np.concatenate([clip.pose.rot, still], axis=1))
    return ff.Clip(skeleton, clip.fps, pose, name="controlled")


def ink(page: Any, name: str) -> np.ndarray:
    """Left, right, top and bottom of what is drawn in a clip's picture, as shares of it."""
    picture = page.get_by_role("listitem", name=name, exact=True).locator("canvas.thumb")
    picture.scroll_into_view_if_needed()
    page.wait_for_function(f"(one) => ({INK})(one)[1] > 0", arg=picture.element_handle())
    return np.array(picture.evaluate(INK))


def test_thumbnails_frame_the_body_and_not_its_control_bones(page: Any, tmp_path: Path) -> None:
    mark, clip = time.time_ns(), ff.motion("wave").resample(30.0)
    b.upload(
        page,
        ff.save(clip, tmp_path / f"plain{mark}.bvh"),
        ff.save(controlled(clip), tmp_path / f"controlled{mark}.bvh"),
    )
    plain, rigged = (ink(page, f"{name}{mark}") for name in ("plain", "controlled"))
    assert rigged == pytest.approx(plain, abs=0.04)  # the same figure, as large and as much in the middle
    left, right, top, bottom = rigged
    assert bottom - top > 0.6
    assert min(left, top, 1.0 - right, 1.0 - bottom) > 0.0  # and whole


@pytest.mark.parametrize("size", [(1280, 720), (900, 600)])
def test_lives_camera_keeps_the_figure_clear_of_the_panels(
    chromium: Any, process: b.Process, size: tuple[int, int]
) -> None:
    page = b.open_page(chromium, process, size)
    page.get_by_role("tab", name="Live").click()
    page.get_by_role("button", name="Forward").wait_for(timeout=b.GRAPH_MS)
    page.wait_for_function("() => __footfall.stage.actors.get(-1)?.pose")
    covers = (
        page.get_by_role("img", name="Graph builtin"),
        page.get_by_role("group", name="Steer by"),
        page.get_by_role("group", name="Response"),
        page.get_by_role("button", name="Forward"),
    )

    def is_clear() -> bool:
        seen = np.array(page.evaluate(JOINTS))
        inside = (seen > 0).all() and (seen < size).all()
        boxes = [one.bounding_box() for one in covers]
        return inside and not any(
            ((seen[:, 0] > at["x"]) & (seen[:, 0] < at["x"] + at["width"])
             & (seen[:, 1] > at["y"]) & (seen[:, 1] < at["y"] + at["height"])).any()
            for at in boxes
        )  # fmt: skip

    page.wait_for_timeout(1500)  # the camera comes to rest
    assert is_clear()
    page.keyboard.down("w")
    b.doing(page, r"^walk")
    page.wait_for_timeout(1500)
    assert is_clear()  # and while it follows
    page.keyboard.up("w")
    assert page.wrong == []
    page.context.close()
