"""Notes whether this process was forked from one that had loaded obstore.

obstore's threads do not exist in a forked child, so a request there would never end.
"""

from __future__ import annotations

import os
import sys

with_obstore = False


def _note_fork() -> None:
    global with_obstore
    with_obstore = with_obstore or "obstore" in sys.modules


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)
