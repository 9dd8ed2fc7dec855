"""Other bodies and other paths: `ff.retarget(...)` puts a clip on another body.

Importing this package makes it the attribute `footfall.retarget`; so it can be called like the function.
"""

from footfall.core.callable_package import make_callable

make_callable(__name__, "footfall.retarget.retarget")
