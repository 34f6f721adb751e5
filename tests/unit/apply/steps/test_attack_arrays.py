"""Others' work where a run was cut off: on its array, in emptied zones. What the tools say is told here; the
lab asks the tools themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.machines import drive
from tests.unit.plan.raid.stripes import MD
from tests.unit.plan.test_whole import ZONED, zoned_plan
from wizard.apply.plan import drive_digests, resume
from wizard.apply.plan.resume import check_made, check_on_array
from wizard.apply.steps import arrays
from wizard.apply.steps.arrays import array_parts, bring_back, check_apart, check_free_array, stop_own_array
from wizard.model.drive_facts import Zones
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive, Partition, Signature, Table
from wizard.model.operations import MakeArray, MakeFilesystem
from wizard.model.plan import Plan
from wizard.plan.steps.commands import array_uuid
from wizard.process.program import Result

THEIRS = Signature("ext4", "filesystem", "theirs", "6f3b1f5e-0000-4000-8000-00000000aaaa")


class Tools:
    """Programs that say what they are told to, or fail; every call is kept."""

    def __init__(self, says: Mapping[str, str]) -> None:
        self.says = says
        self.calls: list[tuple[str, ...]] = []

    def __call__(self, argv: Sequence[str], **_: object) -> Result:
        self.calls.append(tuple(argv))
        words = " ".join(argv)
        said = next((text for start, text in self.says.items() if words.startswith(start)), None)
        if said is None:
            raise Failed(f"{argv[0]} ended with status 1")
        return Result(0, said, "", 0.0)


def step_of(plan: Plan, kind: type) -> int:
    return next(number for number, step in enumerate(plan.steps, 1) if isinstance(step.operation, kind))


def until(plan: Plan, last: int) -> frozenset[int]:
    return frozenset(range(1, last + 1))


def running(monkeypatch: pytest.MonkeyPatch, *nodes: str) -> None:
    monkeypatch.setattr(arrays, "standing_on", lambda _: nodes)
    monkeypatch.setattr(arrays, "_is_own", lambda *_: True)
    monkeypatch.setattr(arrays, "open_exclusively", lambda _: None)


def own(plan: Plan) -> Signature:
    (volume,) = plan.volumes
    return Signature(volume.filesystem, "filesystem", volume.label, volume.uuid)


@pytest.mark.parametrize(
    ("begun", "done", "holds", "goes_on"),
    [
        (MakeArray, None, [], True),
        (MakeArray, None, [THEIRS], False),
        (MakeFilesystem, MakeArray, [], True),
        (MakeFilesystem, MakeArray, ["own"], True),
        (MakeFilesystem, MakeArray, [THEIRS], False),
        (MakeFilesystem, MakeArray, ["own", THEIRS], False),
        (MakeFilesystem, MakeFilesystem, ["own"], True),
        (MakeFilesystem, MakeFilesystem, [], False),
        (MakeFilesystem, MakeFilesystem, [THEIRS], False),
        (MakeArray, None, ["own"], False),
    ],
)
def test_what_the_array_holds_is_the_runs_own(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    begun: type,
    done: type | None,
    holds: list[Signature | str],
    goes_on: bool,
) -> None:
    running(monkeypatch, "/dev/md127")
    found = tuple(own(MD) if isinstance(one, str) else one for one in holds)
    monkeypatch.setattr(resume, "signatures_on", lambda *_: found)
    steps = until(MD, step_of(MD, begun)), until(MD, step_of(MD, done) if done else step_of(MD, begun) - 1)
    if goes_on:
        check_on_array(tmp_path, MD, *steps)
    else:
        why = "did not make" if found else "no longer contains the data from the run"
        with pytest.raises(Refused, match=why):
            check_on_array(tmp_path, MD, *steps)


def test_what_showed_on_the_array_from_the_start_is_no_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Remains of what its parts held before: they were noted when it was made."""
    running(monkeypatch, "/dev/md127")
    monkeypatch.setattr(resume, "signatures_on", lambda *_: (THEIRS,))
    monkeypatch.setattr(drive_digests, "is_array_untouched", lambda *_: True)
    made = until(MD, step_of(MD, MakeArray))
    check_on_array(tmp_path, MD, made, made)


@pytest.mark.parametrize("carried", [True, False])
def test_an_array_of_a_step_that_was_only_begun_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, carried: bool
) -> None:
    """It may have been made, used and stopped again."""
    assert MD.stripe is not None
    running(monkeypatch)
    monkeypatch.setattr(arrays, "wait_for", lambda _: None)
    monkeypatch.setattr(arrays, "check_free_array", lambda _: None)
    record = f"MD_LEVEL=raid0\nMD_UUID={array_uuid(MD.stripe.uuids[0])}\n"
    parts = array_parts(MD)
    tools = Tools(
        {f"mdadm --examine --export {part}": record for part in parts[: None if carried else 1]}
        | {"mdadm --assemble": ""}
    )
    begun = until(MD, step_of(MD, MakeArray))
    bring_back(MD, begun, begun - {max(begun)}, tools)
    assert any(call[1] == "--assemble" for call in tools.calls) is carried


def test_an_array_in_use_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "/dev/md127")
    monkeypatch.setattr(arrays, "open_exclusively", lambda _: "somebody has it")
    for attempt in (check_apart, stop_own_array):
        with pytest.raises(Failed, match="in use: somebody has it"):
            attempt(MD, Tools({}))


def test_a_uuid_that_a_running_array_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MD.stripe is not None
    uuid = array_uuid(MD.stripe.uuids[0])
    for scanned, other in (
        (f"ARRAY /dev/md/0 metadata=1.2 name=any:films UUID={uuid}\n", True),
        ("ARRAY /dev/md/0 UUID=1:2:3:4\n", False),
    ):
        monkeypatch.setattr(arrays, "run", Tools({"mdadm --detail --scan": scanned}))
        if other:
            with pytest.raises(Refused, match="Another array has the UUID"):
                check_free_array(MD)
        else:
            check_free_array(MD)


def parted(plan: Plan, *signatures: Signature) -> list[Drive]:
    """The plan's drives with their one partition each; the last one's shows these."""
    found = []
    for number, member in enumerate(plan.members, 1):
        (slot,) = member.after.partitions
        part = Partition(f"{member.drive.path}1", 1, slot.start_bytes, slot.size_bytes)
        last = number == len(plan.members)
        found.append(
            drive(
                path=member.drive.path,
                table=Table("gpt"),
                partitions=(replace(part, signatures=signatures if last else ()),),
            )
        )
    return found


def test_a_part_that_somebody_formatted_is_not_the_runs() -> None:
    assert MD.stripe is not None
    begun = until(MD, step_of(MD, MakeArray))
    done = begun - {max(begun)}
    check_made(MD, parted(MD), begun, done)
    check_made(MD, parted(MD, Signature("linux_raid_member", "raid", None, MD.stripe.uuids[0])), begun, done)
    with pytest.raises(Refused, match="contains data that this run did not make"):
        check_made(MD, parted(MD, THEIRS), begun, done)


@pytest.mark.parametrize(
    ("changes", "done", "goes_on"),
    [
        ({}, True, True),
        ({"zones": Zones(count=4, written=1)}, True, False),
        ({"signatures": (THEIRS,)}, True, False),
        ({"table": Table("gpt")}, True, False),
        ({"table": None}, True, False),
        ({}, False, True),
        ({"signatures": (THEIRS,)}, False, False),
    ],
)
def test_an_emptied_drive_is_empty_still(changes: Mapping[str, object], done: bool, goes_on: bool) -> None:
    begun = frozenset({1})
    found = [replace(ZONED, **{"zones": Zones(count=4, written=0), **changes})]  # type: ignore[arg-type]
    if goes_on:
        check_made(zoned_plan(), found, begun, begun if done else frozenset())
    else:
        with pytest.raises(Refused, match="changed after the run ended"):
            check_made(zoned_plan(), found, begun, begun if done else frozenset())
