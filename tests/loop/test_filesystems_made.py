"""Each filesystem made on a real partition: its planned UUID and label, its type in the table, its own check, and its way into use."""

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, said, story, wish
from wizard.apply.journal import RunState
from wizard.filesystems.kind import MadeKind
from wizard.filesystems.registry import MADE
from wizard.model.journal import Event
from wizard.model.units import MIB
from wizard.probe.machine import probe_machine

SIZE = 320 * MIB
EARLIER = ("ext4", "xfs", "btrfs")
"""Tested wherever a filesystem is needed."""
KINDS = {name: kind for name, kind in MADE.items() if name not in EARLIER}


def kernel_has(kind: MadeKind) -> bool:
    return not kind.mounts or bool(probe_machine([]).kernel.filesystems.intersection(kind.kernel_names))


def seen_on(device: str, what: str) -> str:
    """What the blkid of util-linux says, which is none of our own code."""
    return tool("blkid", "--probe", "--output", "value", "--match-tag", what, device).strip()


@pytest.mark.parametrize("block", [512, 4096])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_made_as_planned(kind: MadeKind, block: int, make_drive: MakeDrive, work: Work) -> None:
    drive = make_drive(SIZE + 2 * MIB, block)
    plan = work.plan(drive, wish(kind.name, options=()))
    run, end = work.apply(plan)
    assert end is RunState.DONE, story(run)
    (volume,) = plan.volumes
    assert seen_on(volume.path, "TYPE") == kind.name
    assert seen_on(volume.path, "UUID") == volume.uuid
    assert seen_on(volume.path, "LABEL") == volume.label == kind.fit_label("media")
    assert tool("blkid", "--probe", "--output", "value", "--match-tag", "PART_ENTRY_TYPE", volume.path).strip() == kind.gpt_type
    clean = [entry.sentence for entry in said(run, Event.VERIFIED) if entry.sentence.endswith("is clean")]
    assert bool(clean) == bool(kind.clean_check)
