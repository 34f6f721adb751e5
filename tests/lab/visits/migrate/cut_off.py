"""Jobs: a guest loses power while `diskwright migrate` is in a step, in its commit, or being undone. The
next guest has the same drives, runs and fstab, and finishes it in both directions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Set
from functools import partial
from time import monotonic, sleep

from tests.lab.drives.fleet import KIB, MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, SLOW, cut_power, digest_of, diskwright, node_of, standing_in, tool
from tests.lab.visits.migrate.migrations import (
    FSTAB,
    LONG,
    REST,
    RUNS,
    ends,
    is_ext4,
    migrate,
    mount_at_boot,
    prepare_rest,
    undone,
)
from tests.lab.visits.migrate.transactions import make_old
from wizard.apply.engine.record import GOING_BACK, Phase, load_record
from wizard.apply.run.runs import list_runs
from wizard.model.run import Check

OLD, STORE = virtio_drive("cut-old", 64 * MIB), virtio_drive("cut-rest", 384 * MIB)
FLEET = Fleet("migration-power", (OLD, STORE))
CASES = {
    "in a step, resumed": ("step", "resume"),
    "in a step, undone": ("step", "undo"),
    "in the commit, resumed": ("commit", "resume"),
    "in the commit, undone": ("commit", "undo"),
    "during undo": ("undo", "undo"),
}
"""Step with the power cut, and the final command."""
COMMITTING = frozenset({Phase.CLEARING, Phase.REPLACING, Phase.HIDDEN, Phase.RELEASING})
CUT = f"cp {FSTAB} {REST}/fstab; sync; echo 0 > {SHARED}/status; echo b > /proc/sysrq-trigger; sleep 60"
"""Save the guest's fstab, which is in memory, to the store, and cut the power."""


def _begun(when: str, _: str, fleet: Fleet) -> Iterator[Check]:
    node = node_of(fleet[OLD.name])
    prepare_rest(node_of(fleet[STORE.name]))
    make_old(node, KIB)
    mount_at_boot(node)
    (REST / "before").write_text(digest_of(node))
    tool("sync")
    yield Check(f"power cut: {when}", True, "")
    words = ("--way", "full", "--journal", str(RUNS), "--confirm", OLD.serial)
    if when == "step":
        with standing_in("resize2fs", "-b", CUT):
            migrate(node, OLD.serial)
    elif when == "commit":
        _cut_at(COMMITTING, "migrate", node, *words)
    else:
        status, said = migrate(node, OLD.serial)
        yield Check("the conversion succeeds", status == 0, said[-1500:])
        _cut_at(GOING_BACK, "undo", list_runs(RUNS)[-1].name, "--journal", str(RUNS))
    yield Check(f"power cut: {when}", False, "no power cut")


def _cut_at(phases: Set[Phase], *words: str) -> None:
    """Start a command, and cut the power when its run reaches one of the phases."""
    limit = monotonic() + LONG
    with subprocess.Popen([sys.executable, "-m", "wizard", *words], stdout=subprocess.DEVNULL):
        while monotonic() < limit:
            runs = list_runs(RUNS)
            record = load_record(runs[-1]) if runs else None
            if record is not None and record.phase in phases:
                tool("dd", f"if={FSTAB}", f"of={REST / 'fstab'}", "conv=fsync", "status=none")
                cut_power()
            sleep(0.005)


def _ended(when: str, way: str, fleet: Fleet) -> Iterator[Check]:
    for module in ("dm_snapshot", "loop", "ext4"):
        tool("modprobe", module)
    node = node_of(fleet[OLD.name])
    REST.mkdir(parents=True, exist_ok=True)
    tool("mount", node_of(fleet[STORE.name]), str(REST))
    FSTAB.write_text((REST / "fstab").read_text())
    before = (REST / "before").read_text()
    (found,) = list_runs(RUNS)
    listed = diskwright("status", found.name, "--journal", str(RUNS), seconds=LONG).output
    yield Check(f"{when}: status names {way}", f"diskwright {way}" in listed, listed[-900:])
    if when == "step":
        yield Check("step: the drive is unchanged", digest_of(node) == before, "")
    yield ends(when, way)
    if way == "resume":
        yield from is_ext4(node)
        yield ends(f"{when}, resumed", "undo")
    yield from undone(node, before)


JOBS: dict[str, Callable[[Fleet], Iterator[Check]]] = {
    f"migration-power-{number}-{what}": partial(does, when, way)
    for number, (when, way) in enumerate(CASES.values())
    for what, does in (("cut", _begun), ("recovery", _ended))
}
VISITS = tuple(
    Visit(
        f"ext3 to ext4, power cut {case}: {what}",
        FLEET,
        (f"migration-power-{number}-{what}",),
        6 * SLOW,
        udev=False,
        full_only=True,
    )
    for number, case in enumerate(CASES)
    for what in ("cut", "recovery")
)
