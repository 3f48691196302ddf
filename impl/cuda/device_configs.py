# SPDX-License-Identifier: BSD-3-Clause
"""What the judge must know about this vendor: docs/conformance.md."""

SKIPS = {
    name: [dict(case="*huge_elements*", reason="float32 rows are summed in float32: these sums overflow")]
    for name in ("diopiLayerNorm", "diopiGroupNorm", "diopiInstanceNorm")
}

# Kernels check indices, classes and divisors. Their errors come when the stream is synchronised.
DEFERRED_ERRORS = True
