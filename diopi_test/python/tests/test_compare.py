# SPDX-License-Identifier: BSD-3-Clause
"""Tests the comparison of one output with its expected values, where a unit test says more than a judged call."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases.case import Tolerance
from conformance.cases.prepared import Expected
from conformance.verdict.compare import compare

TWO_ULP = Tolerance("of a test", ulp=2)
NEXT = float(np.nextafter(3e307, np.inf))


@pytest.mark.parametrize(
    ("want", "got", "right"),
    [
        (complex(3e307, -np.inf), complex(NEXT, -np.inf), True),
        (complex(3e307, -np.inf), complex(3.1e307, -np.inf), False),
        (complex(3e307, -np.inf), complex(NEXT, np.inf), False),
        (complex(3e307, -np.inf), complex(NEXT, 1e308), False),
        (complex(3e307, -np.inf), complex(NEXT, np.nan), False),
        (complex(np.inf, 0), complex(np.inf, 5e-324), True),
        (complex(np.inf, 1), complex(np.inf, 1.1), False),
        (complex(1.7e308, 1.7e308), complex(float(np.nextafter(1.7e308, 0)), 1.7e308), True),  # whose size overflows
        (complex(1.7e308, 1.7e308), complex(1.6e308, 1.7e308), False),
    ],
)
def test_the_finite_part_of_a_complex_number_has_the_tolerance_of_any_number(want, got, right):
    values = np.array([want, 1 + 1j])
    mismatch, ulp = compare("out", Expected("complex128", (2,), values, "complex128"), np.array([got, 1 + 1j]), TWO_ULP)
    assert (mismatch is None) == right and (not right or ulp <= 2)
