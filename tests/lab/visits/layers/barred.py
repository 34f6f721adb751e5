"""Job: an encrypted volume and a volume group in place of files. The run is interrupted on scratch devices,
and resumed. A waiting run hides the drive from every program. `undo` restores every bit; `keep` mounts the
volumes. Scratch devices disappear, and udev never reports their contents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from tests.daily import one_in
from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    DIES,
    SHARED,
    SLOW,
    confirmed,
    digest_of,
    diskwright,
    node_of,
    shown,
    standing_in,
    tool,
    udev_runs,
)
from tests.lab.visits.drives.unseen import RULES, links_to_ours, listening
from tests.lab.visits.layers.containers import FILE, LONG, PASSPHRASE, WRONG, prepare
from wizard.apply.block.devices import partition_nodes, reread_table
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.process import settle
from wizard.apply.run.runs import list_runs, load_plan
from wizard.model.run import Check
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.process.program import Result, run

HELD = virtio_drive("held", 160 * MIB)
BARRED_FLEET = Fleet("barred", (HELD,))
PLACE = Path("/srv/lab/barred")
MODULES = ("dm_mod", "dm_crypt", "loop", "ext4")
LVM_FOLDER = Path("/etc/lvm")
UNDONE, KEPT = "undone", "kept"
"""Ends of a waiting run, one of them per day."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is created: words of the request, options of `keep` and `resume`, and the program during which
    a run is killed."""

    name: str
    words: tuple[str, ...]
    given: tuple[str, ...]
    killed_in: tuple[str, str]


SECRET = Kind(
    "LUKS",
    ("--volume", f"workload=small-files,fs=ext4,label=lab-secret,encrypt=luks2,mount={PLACE}"),
    ("--passphrase-file", str(FILE)),
    ("mkfs.ext4", "-q"),
)
GROUPED = Kind(
    "LVM",
    ("--lvm", "--volume", f"workload=small-files,fs=ext4,label=lab-grouped,mount={PLACE}"),
    (),
    ("mkfs.ext4", "-q"),
)


def barred_secret(fleet: Fleet) -> Iterator[Check]:
    """Check an encrypted container."""
    prepare()
    yield from _all_of(fleet, SECRET)


def found_secret(fleet: Fleet) -> Iterator[Check]:
    """Check a container after the loss of its run's folder."""
    prepare()
    for module in MODULES:
        tool("modprobe", module)
    node = node_of(fleet[HELD.name])
    _filled(node)
    yield from _kept_from_drive(node, SECRET)


def barred_grouped(fleet: Fleet) -> Iterator[Check]:
    """Check a volume group."""
    yield from _all_of(fleet, GROUPED)


def _all_of(fleet: Fleet, kind: Kind) -> Iterator[Check]:
    for module in MODULES:
        tool("modprobe", module)
    node = node_of(fleet[HELD.name])
    _filled(node)
    before, lvm_before = digest_of(node), _files_of(LVM_FOLDER)
    if udev_runs():
        with listening(kind.name) as told:
            yield from _to_barred(node, kind, before)
        given_away = told.given_away()
        yield Check(
            f"{kind.name}: udev's events reveal nothing on the scratch devices",
            not given_away,
            shown(given_away[:2]),
        )
    else:
        yield from _to_barred(node, kind, before)
    lvm_now = _files_of(LVM_FOLDER)
    yield Check(f"{kind.name}: LVM's own files are unchanged", lvm_now == lvm_before, shown(lvm_now))
    endings = one_in(2, (UNDONE, KEPT))
    if UNDONE in endings:
        yield _ends(f"{kind.name}: undo", 0, "undo")
        same = digest_of(node) == before
        yield Check(f"{kind.name}: undo restores the drive bit for bit", same, "")
    if UNDONE in endings and KEPT in endings:
        file, plan = _plan(node, kind)
        yield _ends(f"{kind.name}: second apply", 0, "apply", str(file), *confirmed(plan), *kind.given)
    if KEPT in endings:
        yield from _kept(kind)


def _filled(node: str) -> None:
    """Create a filesystem with files, without a table."""
    # Right after the boot, udev still reads the drives.
    settle()
    tool("wipefs", "--all", "--quiet", node)
    reread_table(node, anew=True)
    tool("mkfs.ext4", "-q", "-F", "-L", "old", "-d", str(Path(__file__).parents[2]), node)


def _files_of(folder: Path) -> list[str]:
    return sorted(str(file) for file in folder.rglob("*"))


def _plan(node: str, kind: Kind) -> tuple[Path, Plan]:
    file = SHARED / f"plan-{kind.name}.json"
    diskwright("plan", node, "--replace", *kind.words, "-o", str(file))
    return file, PLANS.read(file.read_text(), "the plan")


def _to_barred(node: str, kind: Kind, before: str) -> Iterator[Check]:
    file, plan = _plan(node, kind)
    apply = ("apply", str(file), *confirmed(plan), *kind.given)
    with standing_in(*kind.killed_in, DIES):
        told = _said(*apply)
    found = list_runs()[-1]
    yield Check(
        f"{kind.name}: apply is killed during the rehearsal",
        state(found) is RunState.INTERRUPTED,
        _words(told),
    )
    yield Check(f"{kind.name}: the drive is unchanged", digest_of(node) == before, "")
    yield _ends(f"{kind.name}: resume", 0, "resume", *confirmed(plan), *kind.given)
    yield Check(f"{kind.name}: the run waits", state(found) is RunState.WAITING, str(state(found)))
    yield _nothing_left(f"{kind.name}: waiting")
    yield from _unrecognised(node, plan, kind)


def _nothing_left(what: str) -> Check:
    left = [
        tool("dmsetup", "ls").strip(),
        tool("losetup", "--noheadings", "--list").strip(),
        *(rule.name for rule in RULES.glob("*")),
        *links_to_ours(),
    ]
    return Check(f"{what}: no scratch device is left", left == ["No devices found", ""], shown(left))


def _unrecognised(node: str, plan: Plan, kind: Kind) -> Iterator[Check]:
    """Check that no tool recognises anything on the drive or at the location of its partition."""
    reread_table(node, anew=True)
    yield Check(f"{kind.name}: waiting: the drive has no partitions", not partition_nodes(node), "")
    (slot,) = plan.after.partitions
    place = ("--offset", str(slot.start_bytes), "--sizelimit", str(slot.size_bytes))
    loop = tool("losetup", "--find", "--show", "--read-only", *place, node).strip()
    try:
        for argv in (
            ("blkid", "-p", node),
            ("blkid", "-p", loop),
            ("cryptsetup", "isLuks", loop),
            ("pvs", loop),
        ):
            asked = run(argv, seconds=SLOW, accept=range(256))
            yield Check(f"{kind.name}: waiting: {argv[0]} finds nothing", asked.status != 0, _words(asked))
    finally:
        tool("losetup", "--detach", loop)


def _kept_from_drive(node: str, kind: Kind) -> Iterator[Check]:
    """Finish a run without its folder, from the notice on the drive."""
    file, plan = _plan(node, kind)
    yield _ends(f"{kind.name}: apply of a run to lose", 0, "apply", str(file), *confirmed(plan), *kind.given)
    rmtree(list_runs()[-1])
    finish = ("keep", "--from-drive", node, *confirmed(plan))
    yield _ends(f"{kind.name}: keep --from-drive without the passphrase", 3, *finish)
    waiting = digest_of(node)
    yield _ends(
        f"{kind.name}: keep --from-drive with a wrong passphrase", 3, *finish, "--passphrase-file", str(WRONG)
    )
    yield Check(f"{kind.name}: a wrong passphrase writes nothing", digest_of(node) == waiting, "")
    finish = ("keep", str(list_runs()[-1]))
    yield _ends(f"{kind.name}: keep of the recovered run", 0, *finish, *kind.given)
    yield Check(f"{kind.name}: nothing is mounted", not PLACE.is_mount(), "")
    _opened(plan)
    PLACE.mkdir(parents=True, exist_ok=True)
    tool("mount", plan.volumes[0].path, str(PLACE))
    (PLACE / "found").write_text("found")
    tool("umount", str(PLACE))
    tool("mount", plan.volumes[0].path, str(PLACE))
    yield Check(f"{kind.name}: a file survives a remount", (PLACE / "found").read_text() == "found", "")
    _let_go(plan)


def _opened(plan: Plan) -> None:
    """Open it by hand, as a user would."""
    for one in plan.containers:
        if not Path(one.opened).exists():
            words = ("cryptsetup", "open", "--key-file", "-", one.device, one.name)
            run(words, seconds=LONG, stdin=PASSPHRASE.encode())


def _kept(kind: Kind) -> Iterator[Check]:
    plan = load_plan(list_runs()[-1])
    if kind.given:
        yield _ends(f"{kind.name}: keep without the passphrase", 3, "keep")
        yield _ends(f"{kind.name}: keep with a wrong passphrase", 3, "keep", "--passphrase-file", str(WRONG))
        waits = state(list_runs()[-1])
        yield Check(f"{kind.name}: the run still waits", waits is RunState.WAITING, str(waits))
    yield _ends(f"{kind.name}: keep", 0, "keep", *kind.given)
    source = run(
        ["findmnt", "-n", "-o", "SOURCE", str(PLACE)], seconds=SLOW, accept=range(256)
    ).output.strip()
    yield Check(f"{kind.name}: the volume is mounted", source == plan.volumes[0].path, source)
    if not source:
        return
    (PLACE / "kept").write_text("kept")
    tool("umount", str(PLACE))
    tool("mount", str(PLACE))
    yield Check(f"{kind.name}: a file survives a remount", (PLACE / "kept").read_text() == "kept", "")
    _let_go(plan)


def _let_go(plan: Plan) -> None:
    """Unmount and close everything, and remove its lines."""
    tool("umount", str(PLACE))
    for one in plan.containers:
        tool("cryptsetup", "close", one.name)
    if plan.group:
        tool("vgchange", "--activate", "n", plan.group.name)
    for file, word in ((Path("/etc/fstab"), str(PLACE)), (Path("/etc/crypttab"), "lab_secret")):
        if file.exists():
            lines = file.read_text().splitlines(keepends=True)
            file.write_text("".join(line for line in lines if word not in line))


def _said(*words: str) -> Result:
    return diskwright(*words, accept=range(256), seconds=LONG)


def _words(told: Result) -> str:
    return f"{told.status}: {told.output[-1500:]} {told.errors[-1500:]}"


def _ends(what: str, status: int, *words: str) -> Check:
    told = _said(*words)
    return Check(f"{what} exits with {status}", told.status == status, _words(told))


JOBS = {"barred-secret": barred_secret, "barred-grouped": barred_grouped, "found-secret": found_secret}
VISITS = (
    Visit(
        "LUKS in place of files: waiting, undone, kept",
        BARRED_FLEET,
        ("barred-secret",),
        1200,
        udev=True,
    ),
    Visit(
        "LVM in place of files: waiting, undone, kept",
        BARRED_FLEET,
        ("barred-grouped",),
        1200,
        udev=True,
        full_only=True,
    ),
    Visit(
        "LUKS in place of files: kept without the run's folder",
        BARRED_FLEET,
        ("found-secret",),
        1200,
        udev=True,
        full_only=True,
    ),
)
