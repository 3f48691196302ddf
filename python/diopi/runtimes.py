# SPDX-License-Identifier: BSD-3-Clause
"""The runtime of the process. There is only one, because vendors' libraries find its functions by name."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from .binding import Runtime
from .contract import load_contract
from .errors import Error
from .locate import find_runtime

_lock = threading.RLock()
_current: Runtime | None = None


def current_runtime(path: str | os.PathLike[str] | None = None, library: Path | None = None) -> Runtime:
    """The loaded runtime. If there is none, it is loaded; the folder of `library` is searched, too."""
    global _current
    with _lock:
        if _current is not None and path is None:
            return _current
        found = find_runtime(path, library)
        if _current is None:
            _current = Runtime(found, load_contract())
        elif _current.path != found:
            raise Error(
                f"load: runtime is {str(found)!r}, but the process already uses {_current.path}",
                argument="runtime",
                expected=str(_current.path),
                value=path,
            )
        return _current
