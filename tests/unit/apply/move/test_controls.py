"""Each rule of a move removed, one at a time: power cuts must detect the loss."""

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.daily import one_in
from tests.unit.apply.move import powercuts
from tests.unit.apply.move.powercuts import CASES, DIRECT, LOGGED, Case
from wizard.apply.move.mover import journal, mover, prepare, windows
from wizard.apply.move.mover import windows as moving
from wizard.model.errors import DiskwrightError

BOTH = (DIRECT, LOGGED)
RULES: Mapping[str, tuple[ModuleType, str, str]] = {
    "direct: a record goes with its own bytes": (
        moving,
        "flushed()\n                self._record(self._advanced_to(arrived))\n            flushed",
        "flushed()\n            self._record(self._advanced_to(after(part, self._upwards)))\n            "
        "flushed",
    ),
    "direct: what shares a physical block is not kept": (
        moving,
        "edges = (fixed // block * block,) if has_edge else ()",
        "edges = ()",
    ),
    "direct: a flush is not waited for": (
        moving,
        "flushed()\n                self._record(self._advanced_to(arrived))\n            flushed",
        "self._record(self._advanced_to(arrived))\n            flushed",
    ),
    "direct: a record tells of the window that is still written": (
        moving,
        "flushed, arrived = self._drive.flushing(), after(part, self._upwards)",
        "flushed = self._drive.flushing()\n            "
        "arrived = after(parts[min(number + 1, len(parts) - 1)], self._upwards)",
    ),
    "direct: without the flush of the last bytes": (
        moving,
        "        self._drive.flush()\n        self.state = self._advanced_to(arrived)",
        "        self.state = self._advanced_to(arrived)",
    ),
    "logged: no flush between the log and its bytes": (
        moving,
        "log(0, window)\n        self._drive.flush()",
        "log(0, window)",
    ),
    "logged: a flush does not wait for the log": (
        moving,
        "            if logging is not None:\n                logging.result()\n",
        "",
    ),
    "logged: nothing is written again": (moving, "for window in found:\n", "for window in ():\n"),
    "logged: written without the rest of a physical block": (
        moving,
        "below, above = (place + start) % block, -(place + end) % block",
        "below = above = 0",
    ),
    "logged: windows of an older stretch are taken": (
        moving,
        "self._journal.logged(course, self.state.epoch << 32)",
        "self._journal.logged(course, 0)",
    ),
    "logged: a ring of one": (journal, "+ number % 2 * ring_bytes(", "+ 0 * ring_bytes("),
    "logged: digests are not looked at": (
        journal,
        "+ data).digest() == digest:\n                found",
        "+ data).digest():\n                found",
    ),
    "one slot for the state": (journal, "(self._slot + 1) % notices.SLOTS", "0"),
    "a slot's digest is not looked at": (
        journal,
        "found = notices.read_slot(raw)",
        "(magic, *first), rest = notices.HEADER.unpack_from(raw)[:4], raw[notices.HEADER.size :]\n        "
        "found = (first[0], rest[: first[1]], rest[first[1] :][: first[2]]) if magic == notices.MAGIC "
        "else None",
    ),
    "a phase is not on the medium first": (
        mover,
        "self._journal.save(self.state, saved_edges)\n        self._drive.flush()",
        "self._journal.save(self.state, saved_edges)",
    ),
    "shared physical blocks are not mended": (
        mover,
        "        for number, at in enumerate(self.state.edges):\n",
        "        for number, at in ():\n",
    ),
    "the head stays": (
        mover,
        "self._clear_signatures(start)\n        self._bar_copies(self.state.barred_at)\n        "
        "self._restore_edges(self.state.barred_at)\n        "
        "write_bytes(self._drive, start, bytes(course.head_bytes))",
        "self._bar_copies(self.state.barred_at)\n        self._restore_edges(self.state.barred_at)",
    ),
    "the marks go all at once": (
        mover,
        "bytes(size))\n            self._drive.flush()\n\n    def _bar_copies",
        "bytes(size))\n        self._drive.flush()\n\n    def _bar_copies",
    ),
    "the marks come with the rest of the head": (
        mover,
        "        for at, size in self._signatures():\n            bare",
        "        for at, size in ():\n            bare",
    ),
    "tail: a phase that was cut off is mended with the marks there": (
        mover,
        "self._clear_signatures(start)\n        self._bar_copies(side)",
        "self._bar_copies(side)",
    ),
    "the copies stay": (mover, "        self._bar_copies(self.state.barred_at)\n", ""),
    "the copies go with the marks": (
        mover,
        "bytes(size))\n            self._drive.flush()\n\n    def _bar_copies",
        "bytes(size))\n\n    def _bar_copies",
    ),
    "the copies go with the rest of the head": (
        mover,
        "            write_bytes(self._drive, at, data)\n        if copies:\n            "
        "self._drive.flush()\n\n    def _zeroed_copies",
        "            write_bytes(self._drive, at, data)\n\n    def _zeroed_copies",
    ),
    "the copies come with the rest of the head": (
        mover,
        "start, bytes(bare))\n        self._drive.flush()\n        for piece",
        "start, bytes(bare))\n        for piece",
    ),
    "a phase that was cut off goes on with the copies there": (
        mover,
        "self._bar_copies(side)\n        self._restore_edges(side)\n        head",
        "self._restore_edges(side)\n        head",
    ),
    "the copies are written without the rest of their physical blocks": (
        prepare,
        "(place.start_bytes - start_bytes, place.size_bytes) for place in whole",
        "(place.start_bytes, place.size_bytes) for place in barred",
    ),
    "the whole copy of a table is written first": (
        mover,
        "any(self._is_on_drive(one[side]) for one in known if side in one)",
        "not any(self._is_on_drive(one[side]) for one in known if side in one)",
    ),
    "copies of a table are told apart by their order": (
        mover,
        "self._is_on_drive(one[side]) for one in known if side in one",
        "self._is_on_drive(list(one.values())[list(copies).index(side)]) for one in known",
    ),
    "windows end anywhere": (windows, "start += -(course.hi + start) % block", "pass"),
}
"""What a rule reads in the source, and what it is made into."""

TOO_LARGE = (
    Case(63, 128, 301, DIRECT, 24),
    Case(128, 63, 301, DIRECT, 32),
    Case(63, 128, 301, DIRECT, 72, in_flight=1),
)
"""Windows that do not fit into the hole, with records that lag and without."""


def without(monkeypatch: pytest.MonkeyPatch, module: ModuleType, rule: str, instead: str) -> None:
    """Replace `rule` in the module's source by `instead` for every part of the move."""
    assert module.__file__ is not None
    source = Path(module.__file__).read_text()
    assert source.count(rule) == 1, rule
    changed = ModuleType(module.__name__)
    monkeypatch.setitem(sys.modules, module.__name__, changed)
    exec(compile(source.replace(rule, instead), module.__file__, "exec"), changed.__dict__)
    for user in (powercuts, mover, moving, journal, changed):
        for name, value in vars(changed).items():
            if name in vars(user) and getattr(value, "__module__", None) == module.__name__:
                monkeypatch.setattr(user, name, value)


def is_seen(cases: tuple[Case, ...]) -> bool:
    """Return True if power cuts find an error in one of the cases."""
    for number, case in enumerate(cases):
        try:
            if powercuts.cut_everywhere(case, number + 1, ("none", "half"), until_wrong=True).wrong:
                return True
        except (AssertionError, DiskwrightError):
            return True
    return False


@pytest.mark.parametrize("what", one_in(2, RULES))
def test_removed_rule_is_detected(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    module, rule, instead = RULES[what]
    without(monkeypatch, module, rule, instead)
    schemes = [scheme for scheme in BOTH if what.startswith(scheme.value)] or BOTH
    cases = [case for case in CASES if case.scheme in schemes and (case.tail or not what.startswith("tail"))]
    # The quickest first.
    assert is_seen(tuple(sorted(cases, key=lambda case: case.size / case.window)))


@pytest.mark.parametrize("case", TOO_LARGE)
def test_too_large_window_is_detected(case: Case) -> None:
    assert is_seen((case,))
