"""Runs inside Blender's Python: imports motion files and writes where Blender puts every joint.

usage: python blender_positions.py JOBS.json     a list of {"file", "frames", "out", "animation", "fps", "start_s"}
"""

from __future__ import annotations

import json
import sys

import bpy
import numpy as np
from mathutils import Matrix

Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))  # from Blender's Z up


def clear() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)


def import_bvh(path: str) -> tuple[object, Matrix]:
    # forward Y, up Z is Blender's own frame: with it the importer turns nothing, and heads stay in file coordinates
    bpy.ops.import_anim.bvh(filepath=path, axis_forward="Y", axis_up="Z", rotate_mode="NATIVE", frame_start=1)
    armature = bpy.context.object
    return armature, Matrix.Identity(4)


def import_gltf(path: str, animation: str) -> tuple[object, Matrix]:
    bpy.ops.import_scene.gltf(filepath=path)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    data = armature.animation_data
    if animation:
        data.use_nla = False  # the other animations lie in tracks of their own and would shine through
        data.action = bpy.data.actions[animation]
        data.action_slot = data.action_suitable_slots[0]
    return armature, Y_UP


def import_fbx(path: str, animation: str) -> tuple[object, Matrix]:
    bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0, use_custom_props=False)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    if animation:
        data = armature.animation_data
        data.action = next(
            a for a in bpy.data.actions if a.name.split("|")[-2:-1] == [animation] or animation in a.name
        )
        data.action_slot = data.action_suitable_slots[0]
    return armature, Y_UP


def import_usd(path: str) -> tuple[object, Matrix]:
    bpy.ops.wm.usd_import(filepath=path)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    return armature, Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))


def heads(armature: object, turn: Matrix, frame: float) -> list[list[float]]:
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    world = turn @ armature.matrix_world
    return [list(world @ bone.head) for bone in armature.pose.bones]


def main() -> None:
    with open(sys.argv[1]) as file:
        jobs = json.load(file)
    for job in jobs:
        clear()
        if job["file"].lower().endswith(".bvh"):
            armature, turn = import_bvh(job["file"])
            first, rate = 1.0, 1.0  # Blender cannot start before frame 1
        elif ".usd" in job["file"].lower():
            bpy.context.scene.render.fps = round(job["fps"])
            armature, turn = import_usd(job["file"])
            first, rate = 0.0, 1.0  # frames are time codes
        else:
            # keys sit at seconds times the scene's rate: at the clip's own rate our frames are theirs, and nothing
            # lies between keys, where Blender interpolates quaternions part by part
            bpy.context.scene.render.fps = round(job["fps"])
            read = import_fbx if job["file"].lower().endswith(".fbx") else import_gltf
            armature, turn = read(job["file"], job.get("animation", ""))
            first, rate = job["fps"] * job.get("start_s", 0.0), 1.0
        positions = np.array([heads(armature, turn, first + f * rate) for f in job["frames"]])
        np.savez(job["out"], positions=positions, names=[b.name for b in armature.pose.bones])


main()
