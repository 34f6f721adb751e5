"""Keeps what a guest performed for the published pictures: `python -m tests.lab --record` writes tests/looks/recorded/."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.lab.distribution import CACHE
from tests.lab.inside import SHARED
from tests.lab.machine import CHECKOUT, PREFIX, SCRATCH
from wizard.model.journal import Check

RECORDED = CHECKOUT / "tests/looks/recorded"
NAMES = ("machine.json", "verdict-read.json", "verdict-write.json", "plan.json", "journal.jsonl", "apply.txt")


def keep(shared: Path) -> Iterator[Check]:
    """Put the guest's files where the pictures are made from, as they are, or none of them where one tells of this machine."""
    texts = {name: (shared / name).read_text(encoding="utf-8") for name in NAMES}
    found = {name: traces(text) for name, text in texts.items()}
    for name, words in found.items():
        yield Check(f"{name} says nothing of the machine that it was made on", not words, ", ".join(words))
    if any(found.values()):
        return
    RECORDED.mkdir(exist_ok=True)
    for name, text in texts.items():
        (RECORDED / name).write_text(text, encoding="utf-8")


def traces(text: str) -> tuple[str, ...]:
    """What in a text can only come from this machine or from the lab: folders, and this machine's name."""
    folders = (CHECKOUT, sys.prefix, Path(sys.executable).parent, CACHE, SCRATCH / PREFIX, f"{SHARED}/")
    own = [str(folder) for folder in folders if str(folder) not in ("/usr", "/usr/bin", "/usr/local", "/usr/local/bin")]
    name = os.uname().nodename
    named = re.search(rf"(?<![\w+/=.-]){re.escape(name)}(?![\w+/=.-])", text)
    return (*(word for word in dict.fromkeys(own) if word in text), *([name] if named else []))
