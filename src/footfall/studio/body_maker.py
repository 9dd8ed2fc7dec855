"""A graph retargeted to a character by a low-priority process beside the studio, which leaves it in the cache.

`python -m footfall.studio.body_maker GRAPH CHARACTER`: retargeting every motion takes a minute the first time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from footfall.core.errors import FootfallError


def _main(arguments: Sequence[str]) -> int:
    from footfall.graph.build.open_graph import graph
    from footfall.graph.on_body import graph_on

    def say(what: dict[str, object]) -> None:
        print(json.dumps(what), flush=True)

    try:
        graph_on(graph(arguments[0]), arguments[1], lambda share, what: say({"share": round(share, 3), "text": what}))
    except FootfallError as error:
        say({"problem": " ".join(str(error).split())})
        return 2
    say({"done": True})
    return 0


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # the character on the stage comes first
    sys.exit(_main(sys.argv[1:]))
