"""Store the results of a guest for the published pictures: `python -m tests.lab --record` writes
tests/looks/recorded/, and with `--photograph-console` the pictures of the text console in screenshots/."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.lab.guest.distribution import CACHE
from tests.lab.guest.inside import SHARED
from tests.lab.guest.machine import CHECKOUT, PREFIX, SCRATCH
from tests.lab.guest.screen import CONSOLE_TEXTS
from wizard.model.run import Check

RECORDED = CHECKOUT / "tests/looks/recorded"
SCREENSHOTS = CHECKOUT / "screenshots"
ON_CONSOLE = "console-"
"""How the names of the text console's pictures begin."""

NAMES = ("machine.json", "verdict-read.json", "verdict-write.json", "plan.json", "journal.jsonl", "apply.txt")


def keep(shared: Path) -> Iterator[Check]:
    """Store the guest's files for the pictures unchanged, or none if one reveals something about this
    machine."""
    texts = {name: (shared / name).read_text(encoding="utf-8") for name in NAMES}
    yield from _tell_nothing(texts)
    if any(map(traces, texts.values())):
        return
    RECORDED.mkdir(exist_ok=True)
    for name, text in texts.items():
        (RECORDED / name).write_text(text, encoding="utf-8")


def keep_pictures(shared: Path) -> Iterator[Check]:
    """Replace the pictures by the guest's, or none if one of their texts reveals something about this
    machine."""
    texts = {
        picture.name: picture.with_suffix(".txt").read_text(encoding="utf-8")
        for picture in sorted(shared.glob("*.png"))
    }
    yield from _tell_nothing(texts)
    if any(map(traces, texts.values())):
        return
    for old in (*SCREENSHOTS.glob(f"{ON_CONSOLE}*.png"), *CONSOLE_TEXTS.glob("*.txt")):
        old.unlink()
    CONSOLE_TEXTS.mkdir(exist_ok=True)
    for name, text in texts.items():
        shutil.copyfile(shared / name, SCREENSHOTS / f"{ON_CONSOLE}{name}")
        (CONSOLE_TEXTS / name).with_suffix(".txt").write_text(text, encoding="utf-8")


def _tell_nothing(texts: Mapping[str, str]) -> Iterator[Check]:
    for name, text in texts.items():
        words = traces(text)
        yield Check(f"{name} says nothing of the machine that it was made on", not words, ", ".join(words))


def traces(text: str) -> tuple[str, ...]:
    """Return parts of a text that reveal this machine or the lab: folders, and this machine's name."""
    folders = (CHECKOUT, sys.prefix, Path(sys.executable).parent, CACHE, SCRATCH / PREFIX, f"{SHARED}/")
    own = [
        str(folder)
        for folder in folders
        if str(folder) not in ("/usr", "/usr/bin", "/usr/local", "/usr/local/bin")
    ]
    name = os.uname().nodename
    named = re.search(rf"(?<![\w+/=.-]){re.escape(name)}(?![\w+/=.-])", text)
    return (*(word for word in dict.fromkeys(own) if word in text), *([name] if named else []))
