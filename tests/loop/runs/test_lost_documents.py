"""Keep or undo a waiting run without one of its documents, or a document and its copy, also if truncated
or from another run."""

import json
from itertools import product
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, old_gpt, spec, story
from tests.loop.program import MIB, Mode, RunState
from wizard.apply.run.journal import BACKUPS

NAMES = ("plan.json", "run.json", "rehearsed.json", "journal.jsonl", *BACKUPS)
PAIRS = tuple(f"{name}+{BACKUPS[0]}" for name in ("plan.json", "run.json", "rehearsed.json"))
CASES = list(product((*NAMES, *PAIRS), ("lost", "cut", "other"), ("keep", "undo")))


def damage(file: Path, how: str) -> None:
    text = file.read_text()
    file.unlink()
    if how == "cut":
        file.write_text(text[: len(text) // 2])
    elif how == "other":
        file.write_text(of_another_run(file.name, text))


def of_another_run(name: str, text: str) -> str:
    """Return the document as it would be in another run."""
    if name == "journal.jsonl":
        return text.replace('"waiting"', '"undone"')
    document = json.loads(text)
    match name:
        case "plan.json":
            text = text.replace(document["drive"]["path"], "/dev/other")
        case "run.json":
            text = json.dumps({**document, "fstab": "/nowhere/fstab"})
        case "rehearsed.json":
            text = json.dumps({**document, "phase": "undone", "of_plan": "0" * 64})
        case _:
            other = document["plan.json"].replace("/dev/loop", "/dev/other")
            text = json.dumps({**document, "plan.json": other})
    return text


@pytest.mark.parametrize(("name", "how", "command"), one_in(5, CASES))
def test_run_without_documents_is_kept_or_undone(
    work: Work, make_drive: MakeDrive, name: str, how: str, command: str
) -> None:
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    run, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    for each in name.split("+"):
        damage(run / each, how)
    listed = diskwright(work, "status")
    assert listed.returncode == 0 and run.name in listed.stdout, listed.stdout + listed.stderr
    done = diskwright(work, command, run.name)
    assert done.returncode == 0, done.stderr
    if command == "undo":
        assert work.digest(drive) == before
    else:
        kind = tool("blkid", "--probe", "--match-tag", "TYPE", "--output", "value", f"{drive}p1")
        assert kind.strip() == "ext4"
    assert not (run / "engine/old-0.img").exists()
