"""How far a program is that does not say so: by how long the file is that it writes to take its work back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

ALMOST = 0.99
"""The estimate can be too low; that it is done only its end says."""


@contextmanager
def watched_growth(folder: Path, expected_bytes: int, on_share: Callable[[float], None], every_seconds: float) -> Iterator[None]:
    """Meanwhile `on_share` hears, from a thread of its own, which part of the expected bytes the files in a folder have."""
    ended = Event()

    def watch() -> None:
        while not ended.wait(every_seconds):
            with suppress(OSError):
                held = sum(file.stat().st_size for file in folder.iterdir())
                on_share(min(held / expected_bytes, ALMOST))

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
