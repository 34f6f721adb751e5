"""Job: apply a plan with the project's commands to a drive with files, undo it, apply it again and keep it,
with a log of every write. Afterwards, on this machine, cut the power at every write of commit, `keep` and
`undo`, and continue from each possible state in both directions.

The drive is a loop device over a partition, and the runs are on another partition of the same emulated drive,
so that one log has all writes in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

from tests.lab.drives.fleet import MIB, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import diskwright, node_of, tool
from tests.lab.guest.machine import Laboratory, log_of
from tests.lab.power.blocklog import Write, read_log
from tests.lab.power.cutpoints import Content, power_cuts
from tests.lab.power.replayed import mark, number_of
from tests.lab.power.states import (
    LOGGED,
    OLD_VOLUMES,
    REST,
    RUNS,
    TARGET,
    Bench,
    Replay,
    benched,
    ends_of,
    look,
    on_target,
)
from wizard.model.run import Check

LOGGED_FLEET = Fleet("apply-logged", (LOGGED,))
PLACE = Path("/srv/lab/rest")
APPLIED, WAITING, UNDONE = b"the start of apply", b"waiting", b"the end of undo"
AGAIN, KEPT = b"waiting again", b"the end of keep"
EARLIER_WRITES = 24
"""Writes to check before the first one to the drive. They record the next step."""
DAILY_STATES = 400
"""Approximate number of sampled states on an ordinary day."""
MIN_STATES = 200
"""Minimum number of checked states."""


def applied(fleet: Fleet) -> Iterator[Check]:
    """Run without power cuts. Marks on the emulated drive record where each command begins and ends in the
    log."""
    for module in ("loop", "ext4", "vfat"):
        tool("modprobe", module)
    node = node_of(fleet[LOGGED.name])
    # QEMU's log (blklogwrites) accepts at most 1,024 pieces per request, including its own.
    Path("/sys/block", Path(node).name, "queue/max_sectors_kb").write_text("512")
    drive = _prepared(node)
    plan = PLACE / "plan.json"
    diskwright(
        "plan", drive, "--replace", "--volume", "workload=large-media,fs=ext4,mount=none", "-o", str(plan)
    )
    applies = ("apply", str(plan), "--confirm", Path(drive).name, "--journal", str(PLACE / RUNS))
    for words, after in (
        (applies, WAITING),
        (("undo", "--journal", str(PLACE / RUNS)), UNDONE),
        (applies, AGAIN),
        (("keep", "--journal", str(PLACE / RUNS)), KEPT),
    ):
        if words is applies:
            mark(node, APPLIED)
        told = diskwright(*words, accept=range(256))
        mark(node, after)
        yield Check(f"{words[0]} succeeds", told.status == 0, told.errors[-1500:])


def _prepared(node: str) -> str:
    """Create the drive with files in two volumes, and mount the folder for runs."""
    lines = "\n".join(
        f"start={place.start_bytes // 512},size={place.size_bytes // 512}" for place in (TARGET, REST)
    )
    _table(node, "dos", lines)
    # The emulated drive receives each write separately and in order.
    drive = tool("losetup", "--find", "--show", "--direct-io=on", f"{node}1").strip()
    # The log does not define the content after a discard.
    Path("/sys/block", Path(drive).name, "queue/discard_max_bytes").write_text("0")
    tool(
        "sh",
        "-c",
        f"yes diskwright | dd of={drive} bs=1M iflag=fullblock count={TARGET.size_bytes // MIB} status=none",
    )
    _table(
        drive,
        "gpt",
        "\n".join(f"start={one.start_bytes // 512},size={one.size_bytes // 512}" for one in OLD_VOLUMES),
    )
    tool("mkfs.ext4", "-q", "-F", "-E", "nodiscard", "-d", str(Path(__file__).parents[1]), f"{drive}p1")
    tool("mkfs.vfat", f"{drive}p2")
    tool("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "nodiscard,lazy_itable_init=0", "-J", "size=4", f"{node}2")
    PLACE.mkdir(parents=True)
    tool("mount", f"{node}2", str(PLACE))
    (PLACE / RUNS).mkdir(mode=0o700)
    return drive


def _table(node: str, kind: str, lines: str) -> None:
    tool(
        "sh",
        "-c",
        f"printf 'label: {kind}\n{lines}\n' | sfdisk --quiet --no-reread {node}; partx --update {node}",
    )


def cut_everywhere(lab: Laboratory, *, every_one: bool) -> Iterable[Check]:
    """Yield possible states of the drive during commit and `undo`, then during `keep`, each as after a
    power cut."""
    with lab.image(log_of(LOGGED.name)).open("rb") as log:
        writes = list(read_log(log))
    begun, waiting, undone, again, kept = (
        number_of(words, writes) for words in (APPLIED, WAITING, UNDONE, AGAIN, KEPT)
    )
    first = (
        next(at for at, write in enumerate(writes) if at >= begun and _is_on_target(write)) - EARLIER_WRITES
    )
    with benched() as bench:
        content = Content(bytearray(LOGGED.size_bytes))
        content.take(writes[:first])
        yield from _stretch(
            bench, content, writes[first:undone], waiting - first, "0001", UNDONE, every_one=every_one
        )
        content = Content(content.drive)
        content.take(writes[undone:again])
        yield from _stretch(bench, content, writes[again:kept], 0, "0002", KEPT, every_one=every_one)


def _is_on_target(write: Write) -> bool:
    return TARGET.start_bytes <= write.offset_bytes < TARGET.end_bytes


def _stretch(
    bench: Bench,
    content: Content,
    writes: Sequence[Write],
    waiting: int,
    run: str,
    end: bytes,
    *,
    every_one: bool,
) -> Iterator[Check]:
    """Yield states from the current `content` to the end. After `waiting` writes, everything except
    signatures is written."""
    begun = on_target(content)
    complete = Content(bytearray(content.drive))
    complete.take(writes[:waiting])
    replay = Replay(ends_of(bench, complete, run), run)
    ends = replay.ends
    before = f"before {end.decode()}"
    yield Check(
        f"{before}: the drive starts with the expected bytes",
        (begun, on_target(complete)) in ((ends.old, ends.barred), (ends.barred, ends.barred)),
        "",
    )
    total = sum(1 for _ in power_cuts(Content(bytearray(content.drive)), writes, Random(1)))
    every = 1 if every_one else -(-total // (DAILY_STATES // 2))
    for number, (_, what) in enumerate(power_cuts(content, writes, Random(1))):
        if number % every == 0:
            look(replay, bench, content, what)
    phases = ", ".join(f"{phase} {count}" for phase, count in sorted(replay.found.items()))
    yield Check(
        f"{before}: {replay.points} of {total} states ({phases}): half-written data stays "
        "invisible, and both keep and undo finish",
        not replay.wrong,
        "\n".join(replay.wrong[:20]),
    )
    yield Check(f"{before}: enough states are checked", replay.points >= MIN_STATES // 2, str(replay.points))
    wanted = ends.old if end is UNDONE else ends.new
    yield Check(f"at {end.decode()}: the drive holds the expected bytes", on_target(content) == wanted, "")


JOBS = {"applied": applied}
TITLE = "apply, undo and keep of a plan, with power cuts and lost writes"
VISITS = (
    Visit(
        TITLE,
        LOGGED_FLEET,
        ("applied",),
        900,
        udev=False,
        # Slower than all daily visits together.
        full_only=True,
        afterwards=partial(cut_everywhere, every_one=False),
    ),
    Visit(
        f"{TITLE}: every state",
        LOGGED_FLEET,
        ("applied",),
        900,
        udev=False,
        full_only=True,
        afterwards=partial(cut_everywhere, every_one=True),
    ),
)
