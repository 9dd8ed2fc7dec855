"""Timeline synthesis: clips in a row become one motion (Oshita 2008); `ff.timeline(...)` arranges them."""

from footfall.core.callable_package import make_callable

make_callable(__name__, "footfall.timeline.arrangement")
