"""ff.graph: a motion graph by name, from a file, or built from a folder of recordings.

graph = ff.graph("builtin")        # stand, walk, run, strafe, back; jump, kick, … as actions
graph = ff.graph("hero.json")      # as saved by graph.save("hero.json")
graph = ff.graph("takes")          # built from a folder of recordings; or "my.graph", as footfall graph build wrote it
"""

from __future__ import annotations

from pathlib import Path

from footfall.core.errors import WrongType
from footfall.graph.build.build_file import is_build, written_as
from footfall.graph.graph import Graph, load_graph
from footfall.io.plain_file import is_folder


def graph(source: str | Path) -> Graph:
    """Open a motion graph: the built-in one ("builtin"), one from a file, or one built from a folder of recordings."""
    if not isinstance(source, str | Path):
        raise WrongType("'builtin', a graph file or a folder of recordings", source)
    if str(source) == "builtin":
        from footfall.graph.builtin import builtin_graph

        return builtin_graph()
    path = written_as(Path(source))
    if is_folder(path):
        from footfall.graph.build.built_graph import folder_graph

        return folder_graph(path)
    if is_build(path):
        from footfall.graph.build.built_graph import load_built

        return load_built(path)
    return load_graph(path)
