"""Reports from recordings, and their pages as plain text."""

import json
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from itertools import count
from pathlib import Path
from typing import TypeVar, cast
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.documents.codec import from_json, to_json
from wizard.documents.decode import RecordField, fields_of
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.errors import DERIVED, IN_ENGLISH, DiskwrightError
from wizard.model.machine import Drive, Machine
from wizard.model.said import Message, ProfileText, in_english
from wizard.model.verdict import Outcome, Pair, Ratio, Verdict
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.report.gather import SCHEMA, Report

T = TypeVar("T")

MACHINES = Path(__file__).resolve().parents[2] / "machines"
RECORDINGS = sorted(
    path for path in MACHINES.rglob("*.json") if '"diskwright.facts/1"' in path.read_text()[:200]
)

VOID = {"meta"}
CELLS = {"td", "th", "dd", "li"}


class Page(HTMLParser):
    """A parsed page: elements, text, and a check that all elements are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"{self.open} were never closed"
        ids = [value for _, key, value in self.attributes if key == "id"]
        assert len(ids) == len(set(ids)), "an id is there twice"
        links = {value[1:] for tag, key, value in self.attributes if tag == "a" and key == "href"}
        assert links <= set(ids), f"links lead nowhere: {links - set(ids)}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag in CELLS:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"{tag} was closed and never opened"
        assert self.open[-1] == tag, f"{tag} was closed within {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)
            if CELLS & set(self.open):
                self.cells[-1] += data

    @property
    def text(self) -> str:
        """Text of the page."""
        return "".join(self.words)

    def of(self, tag: str, key: str) -> list[str]:
        """Return the values of an attribute of a tag."""
        return [value for name, named, value in self.attributes if (name, named) == (tag, key)]


def plan_of(
    machine: Machine, drive: Drive, *, label: str = "photographs", place: str | None = "/srv/family pictures"
) -> Plan:
    """Return a plan that replaces the drive's content by one volume for large files."""
    profile = find_workload("large-media")
    advice = advise(machine, drive, diagnose(machine, drive, load_patterns()).recording, profile)
    chosen = advice.chosen
    assert chosen is not None
    numbers = count(1)
    spec = VolumeSpec(chosen, profile.workload, None, label, place)
    return make_plan(
        machine,
        (drive,),
        NewVolumes((spec,), Mode.REPLACE),
        lambda: str(UUID(int=0xABCDEF01_2345_4678_9ABC_DEF0000000 + next(numbers))),
    )


def plans_of(machine: Machine) -> Iterator[Plan]:
    """Yield a plan for each drive that can have one."""
    for drive in machine.drives:
        with suppress(DiskwrightError, AssertionError):
            yield plan_of(machine, drive)


def verdict(drive: str = "/dev/sda") -> Verdict:
    """Return a verdict from four pairs with faster aligned access."""
    pairs = tuple(
        Pair(aligned, misaligned)
        for aligned, misaligned in (
            (100_000, 180_000),
            (110_000, 200_000),
            (90_000, 90_000),
            (95_000, 400_000),
        )
    )
    ratio = Ratio(1.81, 1.4, 2.2, 0.95, 4)
    return Verdict(
        drive,
        "read",
        Outcome.ALIGNED_FASTER,
        ratio,
        "Aligned is 1.81 times as fast.",
        ("Few pairs.",),
        4096,
        512,
        1.5,
        pairs,
    )


def assert_whole(text: str, report: Report) -> None:
    """Check that a document contains the whole report, and that the types of non-derived values match."""
    assert json.loads(text) == {"schema": SCHEMA, **to_json(report)}
    assert from_json(to_json(report, derived=False), Report, "report.json") == underived(report)


def underived(value: T) -> T:
    """Return the value without derived fields, and with the texts of profiles as strings."""
    if isinstance(value, tuple):
        return cast(T, tuple(map(underived, value)))
    if isinstance(value, ProfileText):
        return cast(T, value.english)
    if isinstance(value, Message):
        return cast(T, replace(value, values=underived(value.values)))
    if not isinstance(value, Struct):
        return value
    return cast(
        T,
        replace(
            value,
            **{
                one.name: one.default if one.written is DERIVED else _read(one, getattr(value, one.name))
                for one in fields_of(type(value))
                if one.name in value.__struct_fields__
            },
        ),
    )


def _read(of: RecordField, value: object) -> object:
    """Return the value as read from a document."""
    return in_english(value) if of.written is IN_ENGLISH else underived(value)
