"""A motion graph as data and as a file, and the built-in one; `ff.graph(...)` opens or builds one."""

from footfall.core.callable_package import make_callable

make_callable(__name__, "footfall.graph.build.open_graph")
