"""Synthetic drives and plans for tests of striping."""

from itertools import cycle
from typing import Any, Literal

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import EVERYTHING, UUIDS, spec
from wizard.model.layout import Level, Stripe
from wizard.model.machine import Drive
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.raid.striping import FILESYSTEMS
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec

Kind = Literal["md", "btrfs"]
KINDS: tuple[Kind, ...] = ("md", "btrfs")


def numbered(count: int = 2, **changes: Any) -> tuple[Drive, ...]:  # noqa: ANN401
    """Return `count` drives that differ in all identifiers."""
    letters = "abcdefgh"[:count]
    return tuple(
        drive(path=f"/dev/sd{one}", serial=f"S{one}", wwn=f"naa.{one}", by_id=(), **changes)
        for one in letters
    )


def striped(
    drives: tuple[Drive, ...],
    kind: Kind = "md",
    filesystem: str | None = None,
    mode: Mode | None = None,
    *,
    wanted: VolumeSpec | None = None,
    chunk_bytes: int = 0,
    metadata: str = "",
    level: Level = "raid0",
    **changes: Any,  # noqa: ANN401
) -> Plan:
    source = cycle(UUIDS)
    one = wanted or spec(filesystem or FILESYSTEMS[kind][0], label="films", mount_point="/srv/films")
    asked = Stripe(kind, chunk_bytes=chunk_bytes, metadata=metadata, level=level)
    return make_plan(
        machine(*drives, **{"tools": EVERYTHING, **changes}),
        drives,
        NewVolumes((one,), mode, Arrangement(stripe=asked)),
        lambda: next(source),
    )


MD, BTRFS = (striped(numbered(3), kind) for kind in KINDS)
"""A plan of each kind over three drives."""
MIRROR, TWICE = (striped(numbered(3), kind, level="raid1") for kind in ("md", "btrfs"))
"""md's mirror of three drives, and a Btrfs that keeps two copies on them."""
