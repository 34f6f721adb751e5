"""Number of functions that one action calls: an empty drive, from its row on Drives to Ready."""

import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType

import pytest

import wizard
from tests.devices import MakeDrive, tool
from tests.gauges.__main__ import FILE
from tests.loop.applying import Work, carry_out, story
from tests.loop.desk.walking import MEDIA, walker
from tests.loop.program import MIB, Purpose, RunState, start_run, state

PROGRAM = str(Path(wizard.__file__).parent)


@contextmanager
def entered() -> Iterator[set[CodeType]]:
    """Collect the functions of the program that any thread of this process calls."""
    found: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Importing a module calls the body of each class, which is not optimised as a function is.
        named = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and named and code.co_filename.startswith(PROGRAM):
            found.add(code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def test_setup_of_an_empty_drive_stays_within_the_ceilings(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, plain_folder: Path
) -> None:
    """Check the ceilings, with the run in this process. Imports call no functions, and cached results
    lower the count after other tests."""
    monkeypatch.setenv("DISKWRIGHT_PLACES", str(plain_folder / "places"))
    monkeypatch.setattr("wizard.apply.run.process.launch", lambda *_: None)
    drive = make_drive(512 * MIB)
    with entered() as found:
        person = walker(work, drive)
        for row in (drive, MEDIA, None):
            person.key("enter", row)
        plan = person.desk.session.plan
        assert person.view.place == "review" and plan is not None
        run = start_run(plan, *plan.tokens, journal_dir=work.runs, environment=work.environment)
        carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE, story(run)
    tool("umount", str(plain_folder / "places" / "media"))
    ceilings = tomllib.loads(FILE.read_text())["trace"]
    now = {"functions": len(found), "files": len({code.co_filename for code in found})}
    print(now)
    assert all(now[name] <= ceilings[name] for name in now), (now, ceilings)
