"""Jobs: a guest loses power while a run on LUKS, md or LVM waits, or after the mount of `keep`. The next
guest has the same drives, runs, fstab and crypttab, and finishes the run: kept, resumed or undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    FSTAB,
    SHARED,
    SLOW,
    confirmed,
    cut_power,
    digests,
    diskwright,
    empty,
    keep_runs_at,
    node_of,
    shown,
    standing_in,
    story,
    tool,
)
from tests.lab.visits.layers.containers import FILE, LONG, WRONG, prepare
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.runs import list_runs
from wizard.model.run import Check
from wizard.plan.documents import PLANS

STORE = virtio_drive("rebooted-store", 96 * MIB)
DRIVES = virtio_drive("rebooted-1", 320 * MIB), virtio_drive("rebooted-2", 320 * MIB)
FLEET = Fleet("rebooted", (STORE, *DRIVES))
KEPT, PLACE = Path("/kept"), Path("/srv/lab/rebooted")
FILES = (FSTAB, Path("/etc/crypttab"))
"""In the guest's memory. The store keeps copies over a reboot, like a system drive."""

VOLUME = f"workload=small-files,fs=ext4,label=rebooted,mount={PLACE}"
LAYERS = {
    "luks": (1, ("--volume", f"{VOLUME},encrypt=luks2")),
    "lvm": (1, ("--lvm", "--volume", VOLUME)),
    "md": (2, ("--mirror", "md", "--workload", "small-files", "--label", "rebooted", "--mount", str(PLACE))),
}
"""Number of drives, and arguments of `plan`."""
CASES = ("undo", "keep", "resume")
"""The final command. The power is cut while the run waits; for `resume`, after the mount by `keep`."""
CUT = "; ".join(
    (
        *(f"dd if={file} of={KEPT / file.name} conv=fsync 2>/dev/null" for file in FILES),
        f"echo 0 > {SHARED / 'status'}",
        "echo b > /proc/sysrq-trigger",
        "sleep 60",
    )
)


def _begun(layer: str, case: str, fleet: Fleet) -> Iterator[Check]:
    """Start over old filesystems, so that the run waits, then cut the power."""
    _started(fleet, new=True)
    count, words = LAYERS[layer]
    nodes = _nodes(fleet)[:count]
    for node in nodes:
        empty(node)
        tool("mkfs.ext4", "-q", "-F", "-L", "old", node)
    (KEPT / "before").write_text(shown(digests(nodes)))
    file = KEPT / "plan.json"
    diskwright("plan", *nodes, "--replace", *words, "-o", str(file), seconds=LONG)
    plan = PLANS.read(file.read_text(), "the plan")
    secret = ("--passphrase-file", str(FILE)) if layer == "luks" else ()
    diskwright("apply", str(file), *confirmed(plan), *secret, accept=range(256), seconds=LONG)
    (found,) = list_runs()
    yield Check(f"{layer}: the run waits", state(found) is RunState.WAITING, story(found))
    if case != "resume":
        yield Check(f"{layer}: power cut while waiting", True, "")
        cut_power()
    yield Check(f"{layer}: power cut after the mount", True, "")
    with standing_in("mount", str(PLACE), CUT):
        diskwright("keep", found.name, *secret, accept=range(256), seconds=LONG)
    yield Check(f"{layer}: power cut after the mount", False, story(found))


def _ended(layer: str, case: str, fleet: Fleet) -> Iterator[Check]:
    _started(fleet, new=False)
    nodes = _nodes(fleet)[: LAYERS[layer][0]]
    (found,) = list_runs()
    listed = diskwright("status", found.name, seconds=LONG).output
    yield Check(f"{layer}: status names {case}", f"diskwright {case}" in listed, listed[-800:])
    if layer == "luks" and case != "undo":
        before = digests(nodes)
        for words in ((), ("--passphrase-file", str(WRONG))):
            refused = diskwright(case, found.name, *words, accept=range(256), seconds=LONG)
            yield Check(
                f"luks: {case} refuses without the passphrase", refused.status == 3, refused.errors[-800:]
            )
        yield Check("luks: a refusal writes nothing", digests(nodes) == before, "")
    secret = ("--passphrase-file", str(FILE)) if layer == "luks" and case != "undo" else ()
    done = diskwright(case, found.name, *secret, accept=range(256), seconds=LONG)
    yield Check(f"{layer}: {case} succeeds", done.status == 0, f"{done.errors[-800:]} {story(found)}")
    if case == "undo":
        same = shown(digests(nodes)) == (KEPT / "before").read_text()
        yield Check(f"{layer}: undo restores every byte", same, story(found))
    elif done.status == 0:
        content = Random(layer).randbytes(2 * MIB)
        (PLACE / "file").write_bytes(content)
        source = tool("findmnt", "-n", "-o", "SOURCE", str(PLACE)).strip()
        tool("umount", str(PLACE))
        tool("mount", source, str(PLACE))
        yield Check(f"{layer}: a file survives a remount", (PLACE / "file").read_bytes() == content, source)


def _started(fleet: Fleet, *, new: bool) -> None:
    """Prepare the guest like a machine whose system drive survives a reboot."""
    for module in ("loop", "ext4", "dm_mod", "dm_crypt", "raid1"):
        tool("modprobe", module)
    prepare()
    store = node_of(fleet[STORE.name])
    if new:
        tool("mkfs.ext4", "-q", "-F", store)
    KEPT.mkdir(exist_ok=True)
    tool("mount", store, str(KEPT))
    keep_runs_at(KEPT)
    for file in FILES:
        if (KEPT / file.name).exists():
            file.write_text((KEPT / file.name).read_text())


def _nodes(fleet: Fleet) -> list[str]:
    return [node_of(fleet[drive.name]) for drive in DRIVES]


EVERY = list(product(LAYERS, CASES))
JOBS: dict[str, Callable[[Fleet], Iterator[Check]]] = {
    f"rebooted-{layer}-{case}-{what}": partial(does, layer, case)
    for layer, case in EVERY
    for what, does in (("cut", _begun), ("recovery", _ended))
}
VISITS = tuple(
    Visit(
        f"{layer}, power cut before `{case}`: {what}",
        FLEET,
        (f"rebooted-{layer}-{case}-{what}",),
        6 * SLOW,
        udev=False,
        full_only=True,
    )
    for layer, case in EVERY
    for what in ("cut", "recovery")
)
