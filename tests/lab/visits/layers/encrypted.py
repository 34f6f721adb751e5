"""Job: encrypted volumes, from the command line to the mounted filesystem, with a kernel that has
dm-crypt. The passphrase appears only where it belongs, and interrupted or failed runs leave nothing that
blocks the next one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import (
    DIES,
    FAILS,
    SHARED,
    SLOW,
    confirmed,
    confirmed_by,
    digest_of,
    diskwright,
    forget_in_fstab,
    node_of,
    shown,
    standing_in,
    tool,
)
from tests.lab.visits.layers.containers import (
    FILE,
    LONG,
    PASSPHRASE,
    PLACE,
    WRONG,
    in_use,
    let_go,
    open_by_crypttab,
    planned,
    prepare,
    stands,
)
from tests.lab.visits.whole.whole_path import CHECKERS
from tests.loop.program import start_run
from wizard.apply.block.devices import reread_table
from wizard.apply.run.journal import RunState, read_entries, state
from wizard.apply.run.runs import list_runs, load_plan, runs_folder
from wizard.model.layout import Volume
from wizard.model.run import Check
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.process.program import run


def _drive(name: str, logical: int, optimal: int | None = None, size_mib: int = 320) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        Bus.VIRTIO,
        serial=f"LAB-{name.upper()}",
        logical_block_bytes=logical,
        physical_block_bytes=4096,
        size_bytes=size_mib * MIB,
        minimum_io_bytes=65536 if optimal else None,
        optimal_io_bytes=optimal,
    )


WHOLE, CUT, EACH_DRIVE = (
    _drive("whole", 512, 3 * 65536),
    _drive("cut", 4096),
    _drive("each", 512, size_mib=576),
)
ENCRYPTED_FLEET, CUT_FLEET = Fleet("encrypted", (WHOLE, EACH_DRIVE)), Fleet("encrypted-cut", (CUT,))
SEEN = Path("/run/processes-seen")
PROCESSES = f"cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ >> {SEEN} 2>/dev/null"
HEAD_BYTES = 40 * MIB
"""Table, container header and start of the data."""
EACH = (
    "workload=desktop-root,fs=swap,label=lab-swap,size=48M,mount=none,encrypt=luks2",
    "workload=large-media,fs=xfs,label=lab-xfs,size=340M,mount=/srv/lab/xfs,encrypt=luks2",
    "workload=nas,fs=btrfs,label=lab-btrfs,mount=/srv/lab/btrfs,encrypt=luks2",
)


def encrypted(fleet: Fleet) -> Iterator[Check]:
    """Check a whole run, and open its volume again by the written files."""
    prepare()
    yield from _whole(node_of(fleet[WHOLE.name]))


def encrypted_each(fleet: Fleet) -> Iterator[Check]:
    """Check XFS, Btrfs and swap in containers."""
    prepare()
    yield from _each(node_of(fleet[EACH_DRIVE.name]))


def encrypted_in_part(fleet: Fleet) -> Iterator[Check]:
    """Check interrupted and failed runs."""
    prepare()
    node = node_of(fleet[CUT.name])
    yield from _cut_off(node)
    yield from _failed(node)
    yield from _cut_off_rehearsing(node, "luksFormat")
    yield from _cut_off_rehearsing(node, "open")
    yield from _theirs(node)


def _whole(node: str) -> Iterator[Check]:
    file, plan = planned(node, f"mount={PLACE}")
    (container,) = plan.containers
    apply = ("apply", str(file), "--confirm", plan.drive.token)
    yield Check(
        "data starts at a stripe boundary",
        container.offset_bytes % (3 * 65536) == 0,
        str(container.offset_bytes),
    )
    told = diskwright(*apply, accept=range(256), seconds=LONG)
    yield Check(
        "apply refuses without a passphrase",
        told.status == 3 and not list_runs(),
        f"{told.status}: {told.errors[-300:]}",
    )
    with standing_in("cryptsetup", "luksFormat", "exit", PROCESSES):
        told = diskwright(*apply, "--passphrase-file", str(FILE), accept=range(256), seconds=LONG)
    yield Check(
        "apply succeeds", told.status == 0, f"{told.status}: {told.output[-2500:]} {told.errors[-2500:]}"
    )
    if told.status:
        return
    yield from stands(plan)
    yield from _nowhere(told.output + told.errors, node)
    (PLACE / "kept").write_text("kept")
    let_go(container)
    open_by_crypttab(container)
    mounted = run(["mount", str(PLACE)], seconds=SLOW, accept=range(256))
    yield Check("crypttab and fstab mount the volume", (PLACE / "kept").exists(), mounted.last_words)
    let_go(container)


def _nowhere(told: str, node: str) -> Iterator[Check]:
    """Check that no output, file, process argument, environment or drive contains the passphrase."""
    yield Check("no output contains the passphrase", PASSPHRASE not in told, told[-500:])
    found = run(
        ["grep", "-rlF", PASSPHRASE, str(runs_folder()), "/etc/crypttab", "/etc/fstab"],
        seconds=SLOW,
        accept=range(256),
    )
    yield Check("no file of the run contains the passphrase", not found.output, found.output)
    seen = SEEN.read_bytes()
    yield Check(
        "no process shows the passphrase",
        PASSPHRASE.encode() not in seen and b"luksFormat" in seen,
        f"{len(seen)} bytes read",
    )
    with Path(node).open("rb") as drive:
        head = drive.read(HEAD_BYTES)
    yield Check(
        "the drive does not contain the passphrase",
        PASSPHRASE.encode() not in head and b"LUKS" in head,
        f"{len(head)} bytes read",
    )


def _unfinished(plan: Plan) -> Path:
    """Return an interrupted run."""
    found = start_run(plan, *confirmed_by(plan), secret=PASSPHRASE.encode())
    limit = monotonic() + LONG
    while state(found) is RunState.RUNNING:
        assert monotonic() < limit, "the run does not end"
        sleep(0.2)
    return found


def _cut_off(node: str) -> Iterator[Check]:
    """Kill the run after the container was opened, and after the mount."""
    forget_in_fstab(str(PLACE))
    _, plan = planned(node, f"mount={PLACE}")
    (container,) = plan.containers
    with standing_in("cryptsetup", container.name, DIES):
        found = _unfinished(plan)
    yield _is_cut_off("opened", found)
    yield _ends("opened: resume without the passphrase", found, 3)
    yield _ends("opened: resume with a wrong passphrase", found, 3, WRONG)
    with standing_in("mount", str(PLACE), DIES):
        yield _ends("mounted: resume", found, 4, FILE)
    yield _is_cut_off("mounted", found)
    # Like a reboot, which unmounts and closes the container.
    let_go(container)
    yield _ends("after a reboot: resume with the passphrase", found, 0, FILE)
    yield from stands(plan)
    yield _ends("opened: undo", found, 3, command="undo")
    let_go(container)


def _is_cut_off(what: str, found: Path) -> Check:
    last = shown([entry.sentence for entry in read_entries(found)][-3:])
    return Check(f"{what}: the run is interrupted", state(found) is RunState.INTERRUPTED, last)


def _cut_off_rehearsing(node: str, word: str) -> Iterator[Check]:
    """Kill the run during the rehearsal, with the container created or open on the scratch device."""
    forget_in_fstab(str(PLACE))
    _, plan = planned(node, f"mount={PLACE}")
    with standing_in("cryptsetup", word, DIES):
        found = _unfinished(plan)
    yield _is_cut_off(word, found)
    yield _ends(f"{word}: resume without the passphrase", found, 3)
    yield _ends(f"{word}: resume with the passphrase", found, 0, FILE)
    yield from _kept(word, found, plan)


def _kept(what: str, found: Path, plan: Plan) -> Iterator[Check]:
    """Keep the waiting result on a drive with old data."""
    waits = state(found)
    yield Check(f"{what}: the run waits", waits is RunState.WAITING, str(waits))
    yield _ends(f"{what}: keep with a wrong passphrase", found, 3, WRONG, command="keep")
    yield _ends(f"{what}: keep with the passphrase", found, 0, FILE, command="keep")
    yield from stands(plan)
    let_go(plan.containers[0])


def _theirs(node: str) -> Iterator[Check]:
    """Create another container after the interruption."""
    forget_in_fstab(str(PLACE))
    _, plan = planned(node, f"mount={PLACE}")
    with standing_in("cryptsetup", "luksFormat", DIES):
        found = _unfinished(plan)
    tool("wipefs", "--all", "--quiet", node)
    reread_table(node, anew=True)
    run(["cryptsetup", "luksFormat", "-q", "--key-file=-", node], seconds=SLOW, stdin=b"theirs")
    before = digest_of(node)
    yield _ends("foreign container: resume", found, 3, FILE)
    yield Check("foreign container: every byte is unchanged", digest_of(node) == before, "")


def _failed(node: str) -> Iterator[Check]:
    """Let mkfs fail in the container: nothing stays open, here or on the scratch device."""
    forget_in_fstab(str(PLACE))
    _, plan = planned(node, f"mount={PLACE}")
    with standing_in("mkfs.ext4", "-q", FAILS):
        found = _unfinished(plan)
    yield Check(
        "mkfs fails: the run fails",
        state(found) is RunState.FAILED,
        shown([e.sentence for e in read_entries(found)][-3:]),
    )
    left = tool("dmsetup", "ls").strip()
    yield Check("mkfs fails: no container is open", left == "No devices found", left)
    yield _ends("mkfs fails: resume with the passphrase", found, 0, FILE)
    yield from _kept("mkfs fails", found, plan)


def _each(node: str) -> Iterator[Check]:
    """Create the other kinds of volumes in containers, in one run with one passphrase: used, closed,
    checked, and used again by crypttab and fstab."""
    file = SHARED / "plan-each.json"
    diskwright("plan", node, *(word for one in EACH for word in ("--volume", one)), "-o", str(file))
    plan = PLANS.read(file.read_text(), "the plan")
    told = diskwright(
        "apply",
        str(file),
        "--confirm",
        plan.drive.token,
        "--passphrase-file",
        str(FILE),
        accept=range(256),
        seconds=LONG,
    )
    yield Check(
        "all filesystems: apply succeeds",
        told.status == 0,
        f"{told.status}: {told.output[-2500:]} {told.errors[-2500:]}",
    )
    if told.status:
        return
    yield from stands(plan)
    for volume in plan.volumes:
        if volume.filesystem in CHECKERS:
            (Path(str(volume.mount_point)) / "kept").write_text("kept")
        yield from _again(volume)


def _again(volume: Volume) -> Iterator[Check]:
    """Close the volume, check its filesystem, then open and mount it again by the written lines."""
    container, checker = volume.encryption, CHECKERS.get(volume.filesystem)
    assert container is not None
    tool(*(("umount", str(volume.mount_point)) if checker else ("swapoff", volume.path)))
    if checker:
        checked = run([*checker, volume.path], seconds=SLOW, accept=range(256))
        yield Check(f"{volume.filesystem}: a check finds no errors", checked.status == 0, checked.last_words)
    tool("cryptsetup", "close", container.name)
    open_by_crypttab(container)
    done = run(
        ["mount", str(volume.mount_point)] if checker else ["swapon", f"UUID={volume.uuid}"],
        seconds=SLOW,
        accept=range(256),
    )
    is_kept = done.status == 0 and (
        not checker or (Path(str(volume.mount_point)) / "kept").read_text() == "kept"
    )
    yield Check(f"{volume.filesystem}: the content survives closing and opening", is_kept, done.last_words)
    yield in_use(volume)


def _ends(what: str, found: Path, status: int, file: Path | None = None, command: str = "resume") -> Check:
    passphrase = ("--passphrase-file", str(file)) if file else ()
    tokens = confirmed(load_plan(found)) if command == "resume" else ()
    told = diskwright(command, found.name, *tokens, *passphrase, accept=range(256), seconds=LONG)
    return Check(
        f"{what} exits with {status}",
        told.status == status,
        f"{told.status}: {told.output[-800:]} {told.errors[-800:]}",
    )


JOBS = {"encrypted": encrypted, "encrypted-each": encrypted_each, "encrypted-in-part": encrypted_in_part}
VISITS = (
    Visit(
        "encrypted volumes: created, mounted and reopened",
        ENCRYPTED_FLEET,
        ("encrypted",),
        1800,
        udev=False,
    ),
    Visit(
        "encrypted volumes: interrupted, failed and resumed",
        CUT_FLEET,
        ("encrypted-in-part",),
        1800,
        udev=False,
        full_only=True,
    ),
    Visit(
        "encrypted volumes: with udev and every filesystem",
        ENCRYPTED_FLEET,
        ("encrypted", "encrypted-each"),
        1800,
        udev=True,
        full_only=True,
    ),
)
