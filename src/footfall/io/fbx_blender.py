"""Runs in a Python that has Blender as a module (bpy): a GLB written as FBX, every animation as a take.

usage: python fbx_blender.py IN.glb OUT.fbx FPS
"""

from __future__ import annotations

import sys

import bpy


def main() -> None:
    source, target, fps = sys.argv[1], sys.argv[2], float(sys.argv[3])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = max(1, round(fps))
    bpy.context.scene.render.fps_base = max(1, round(fps)) / fps
    bpy.ops.import_scene.gltf(filepath=source)
    bpy.ops.export_scene.fbx(
        filepath=target,
        add_leaf_bones=False,
        bake_anim=True,
        bake_anim_use_all_actions=True,
        bake_anim_use_nla_strips=False,
        bake_anim_simplify_factor=0.0,
        path_mode="COPY",
        embed_textures=True,
    )


main()
