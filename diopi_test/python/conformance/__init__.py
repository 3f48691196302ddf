# SPDX-License-Identifier: BSD-3-Clause
"""The judge: tests whether every operator of a vendor's library does what the contract says.

Its packages, each of which imports only from those above it (tests/test_import_direction.py):

    data       case files and traces of models; no code
    oracle     the definition of each operator, in float64
    cases      case files, filters, inputs and expected outputs
    generate   hostile cases, invalid calls, and the calls of models
    vendor     what a vendor's folder declares
    run        tensors in memory, calls of a library, worker processes
    verdict    whether a call did what it must do
    coverage   what the cases test, and what no case tests
    report     the reports on the terminal and in files
    chip       what a GPU has judged, by family
    selfcheck  tests of the judge itself; nothing imports it

A case has one type for each step: `Case` (one operator, from a file or generated), `Group` (adds a dtype and the names
of layouts), `Prepared` (adds inputs and expected outputs), `Run` (adds one layout, the tensors in memory and the
outcome of the call), `Result` (the verdict on a `Run`).
"""

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
DATA_DIR = Path(__file__).resolve().parent / "data"
for folder in (REPOSITORY, REPOSITORY / "python"):  # the packages `adaptor.codegen` and `diopi`
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

# The oracles' matrix products are small, and the judge has several processes: with more than one thread, NumPy's
# OpenBLAS mostly waits. It reads this variable when NumPy is imported. The vendors' libraries must not see it.
_chosen = os.environ.get("OPENBLAS_NUM_THREADS")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy  # noqa: E402, F401

if _chosen is None:
    del os.environ["OPENBLAS_NUM_THREADS"]
