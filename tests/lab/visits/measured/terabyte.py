"""Job: the cost of undo on a large hard disk: a full drive of 1 TB is set up by plain commands, and an equal
one by diskwright, which rehearses everything and saves overwritten data.

Both drives have the timing of rotating platters (platters.py). The result is the busy time of each drive,
counted by the kernel: an emulated CPU takes many times as long for other work such as digests. Nothing is
compared with a limit.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, TimingModel
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import diskwright, node_of, tool
from wizard.apply.engine.stores import old_file
from wizard.apply.run.runs import list_runs
from wizard.model.run import Check
from wizard.process.program import run

OURS = EmulatedDrive(
    "terabyte-ours",
    Bus.SATA,
    serial="LAB-TERABYTE-OURS",
    model="LAB Terabyte",
    wwn=0x5000C500AAAA0401,
    rotation_rate=7200,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=1_000_204_886_016,
    media=TimingModel(shingled=False),
)
THEIRS = replace(OURS, name="terabyte-theirs", serial="LAB-TERABYTE-THEIRS", wwn=0x5000C500AAAA0402)
REST = EmulatedDrive(
    "terabyte-rest",
    Bus.VIRTIO,
    serial="LAB-TERABYTE-REST",
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=8192 * MIB,
)
TERABYTE_FLEET = Fleet("terabyte", (OURS, THEIRS, REST))
PLACE = Path("/srv/lab/rest")
PLAN, RUNS = PLACE / "plan.json", PLACE / "runs"
HEAD_MIB, BLOCK_BYTES = 64, 4096
"""Filled: the start of the drive up to this size, and the location of the journal. Other blocks are not
written and cost no time."""
SECONDS = 3600.0
IO_TICKS = 9


def set_up(fleet: Fleet) -> Iterator[Check]:
    """Run the plain commands first. Where they place the journal, our drive is filled before it is set up."""
    for module in ("loop", "ext4"):
        tool("modprobe", module)
    tool("mkfs.ext4", "-q", "-F", node_of(fleet[REST.name]))
    PLACE.mkdir(parents=True)
    tool("mount", node_of(fleet[REST.name]), str(PLACE))
    RUNS.mkdir(mode=0o700)
    ours, theirs = node_of(fleet[OURS.name]), node_of(fleet[THEIRS.name])
    diskwright(
        "plan", ours, "--replace", "--volume", "workload=large-media,fs=ext4,mount=none", "-o", str(PLAN)
    )
    options = json.loads(PLAN.read_text())["volumes"][0]["mkfs_options"]

    plain = busy(theirs, lambda: _plainly(theirs, [str(word) for word in options]))
    full = _fill(ours, theirs)
    diskwright(
        "plan", ours, "--replace", "--volume", "workload=large-media,fs=ext4,mount=none", "-o", str(PLAN)
    )
    words = ("apply", str(PLAN), "--confirm", OURS.serial, "--journal", str(RUNS))
    rehearsed = busy(ours, lambda: diskwright(*words, seconds=SECONDS))
    saved = old_file(list_runs(RUNS)[-1], 0).stat().st_blocks * 512
    undone = busy(ours, lambda: diskwright("undo", "--journal", str(RUNS), seconds=SECONDS))
    diskwright(*words, seconds=SECONDS)
    kept = busy(ours, lambda: diskwright("keep", "--journal", str(RUNS), seconds=SECONDS))

    yield Check(
        f"a full hard disk of 1 TB is busy for {plain:.0f} s with plain commands, "
        f"{rehearsed:.0f} s with diskwright until keep ({saved // MIB} MiB saved), "
        f"{undone:.0f} s for undo, {kept:.0f} s for keep",
        0 < saved < full // 16,
        f"{full // MIB} MiB were full; the zeros of the journal are written by keep, so undo needs no copy",
    )


def busy(node: str, work: Callable[[], object]) -> float:
    """Return the seconds during which a drive was busy (io_ticks in Linux, Documentation/block/stat.rst)."""
    stat = Path("/sys/block", Path(node).name, "stat")
    before = int(stat.read_text().split()[IO_TICKS])
    work()
    return (int(stat.read_text().split()[IO_TICKS]) - before) / 1000


def _plainly(node: str, options: list[str]) -> None:
    """Set up the drive as in a manual."""
    tool("wipefs", "--all", "--quiet", node)
    run(("sfdisk", "--quiet", "--no-reread", node), seconds=60, stdin=b"label: gpt\nstart=2048\n")
    tool("partx", "--update", node)
    run(("mkfs.ext4", "-q", "-F", *options, f"{node}1"), seconds=SECONDS)
    tool("blockdev", "--flushbufs", node)


def _fill(ours: str, theirs: str) -> int:
    """Fill our drive where the other one has the start and journal of the same filesystem. Returns the
    bytes."""
    blocks = [int(word) for word in tool("debugfs", "-R", "blocks <8>", f"{theirs}1").split()]
    size_mib = len(blocks) * BLOCK_BYTES // MIB
    # The partition starts at 1 MiB.
    start_mib = min(blocks) * BLOCK_BYTES // MIB + 1
    for seek, count in ((0, HEAD_MIB), (start_mib, size_mib)):
        run(
            ("dd", "if=/dev/urandom", f"of={ours}", "bs=1M", f"seek={seek}", f"count={count}", "conv=fsync"),
            seconds=SECONDS,
        )
    # The noise must not look like a table.
    tool("wipefs", "--all", "--quiet", ours)
    return (HEAD_MIB + size_mib) * MIB


JOBS = {"terabyte": set_up}
VISITS = (
    Visit(
        "a full hard disk of 1 TB, in real time",
        TERABYTE_FLEET,
        ("terabyte",),
        7200,
        udev=False,
        alone=True,
        full_only=True,
    ),
)
