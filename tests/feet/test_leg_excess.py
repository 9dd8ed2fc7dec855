"""What a foot lock may add to the legs' acceleration: the measure it is bounded by, against scipy's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.ndimage import maximum_filter1d

from footfall.feet.leg_excess import largest_near

series = arrays(float, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=st.floats(-1e3, 1e3))


@given(series, st.integers(0, 50))
def test_the_largest_nearby_is_scipys(x, reach):
    np.testing.assert_array_equal(largest_near(x, reach), maximum_filter1d(x, 2 * reach + 1, axis=0, mode="nearest"))
