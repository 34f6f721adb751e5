"""Job: internal devices stay invisible to other programs. udev runs, its events are recorded, and a
coldplug happens at the worst moments: while a conversion works on its scratch copy, and while a scratch
device of a drive has a table and a filesystem."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from tests.lab.drives.fleet import KIB, MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import DIES, SLOW, digest_of, node_of, shown, standing_in, tool
from tests.lab.visits.migrate.migrations import OLD, STORE, ends, migrate, mount_at_boot, prepare_rest, undone
from tests.lab.visits.migrate.transactions import make_old
from wizard.apply.block.devices import forget_caches, partition_nodes, read_bytes, reread_table
from wizard.apply.block.scratch_device import attached
from wizard.model.run import Check
from wizard.process.program import run

TABLED = virtio_drive("unseen-tabled", 16 * MIB)
UNSEEN_FLEET = Fleet("unseen", (OLD, STORE, TABLED))
LINKS, RULES = Path("/dev/disk"), Path("/run/udev/rules.d")
MOMENT = Path("/run/moment")
INTERNAL = ("/dev/dm-", "/dev/loop")
"""Only diskwright uses such devices in these guests."""
CONTENT_KEYS = ("ID_FS_", "ID_PART_ENTRY_", "ID_PART_TABLE_")
WAIT_SECONDS = 5
"""udev delays events of locked drives."""
COLDPLUG = (
    "udevadm trigger --subsystem-match=block --action=change; udevadm trigger --subsystem-match=block "
    f"--action=add; udevadm settle --timeout={WAIT_SECONDS}"
)
LOOP_LINKS = f"{LINKS}/by-diskseq/"
"""Links of every loop device, even an empty one."""
LINKED = f"find {LINKS} -type l -printf '%p %l\\n' > {MOMENT}/links"
IN_USE = f"losetup --list --noheadings --output NAME > {MOMENT}/loops"
LOOK = f"{{ {COLDPLUG}; {LINKED}; {IN_USE}; }} > {MOMENT}/said 2>&1"


@dataclass(frozen=True, slots=True)
class Told:
    """udev's events since listening began."""

    file: Path

    @property
    def events(self) -> list[dict[str, str]]:
        """Properties of each event."""
        blocks = self.file.read_text().split("\n\n")
        return [
            dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
            for block in blocks
            if "DEVNAME=" in block
        ]

    def given_away(self) -> list[dict[str, str]]:
        """Return events of internal devices that reveal their content, or create a link that others use."""
        ours = [event for event in self.events if event["DEVNAME"].startswith(INTERNAL)]
        return [
            event
            for event in ours
            if any(key.startswith(CONTENT_KEYS) for key in event)
            or any(map(leads_others, event.get("DEVLINKS", "").split()))
        ]


@contextmanager
def listening(name: str) -> Iterator[Told]:
    """Record udev's events about block devices during this context."""
    file = Path(f"/run/told-{name}")
    listen = ["udevadm", "monitor", "--udev", "--property", "--subsystem-match=block"]
    with file.open("wb") as told:
        monitor = subprocess.Popen(listen, stdout=told)
    try:
        limit = monotonic() + SLOW
        # udevadm prints a header once it listens.
        while not file.stat().st_size:
            assert monotonic() < limit, "udevadm does not listen."
            sleep(0.1)
        yield Told(file)
        # Wait for pending events.
        sleep(1)
    finally:
        monitor.terminate()
        monitor.wait(timeout=SLOW)


def leads_others(link: str) -> bool:
    """Return True if other programs use this link."""
    return link.startswith(f"{LINKS}/") and not link.startswith(LOOP_LINKS)


def links_to_ours() -> list[str]:
    """Return links to internal devices that other programs use."""
    links = [link for link in LINKS.rglob("*") if link.is_symlink() and leads_others(str(link))]
    return [f"{link} -> {link.resolve()}" for link in links if str(link.resolve()).startswith(INTERNAL)]


def copy_unseen(fleet: Fleet) -> Iterator[Check]:
    """Kill a conversion near the end of its work on the scratch copy, then undo it."""
    MOMENT.mkdir()
    node = node_of(fleet[OLD.name])
    prepare_rest(node_of(fleet[STORE.name]))
    make_old(node, KIB)
    mount_at_boot(node)
    before = digest_of(node)
    tool("udevadm", "settle", f"--timeout={int(SLOW)}")
    with listening("copy") as told:
        with standing_in("resize2fs", "-b", f"{LOOK}; {DIES}"):
            _, said = migrate(node, OLD.serial)
        copies = (MOMENT / "loops").read_text().split()
        yield Check("the scratch copy exists during the coldplug", len(copies) == 1, said[-1500:])
        links = [line.split() for line in (MOMENT / "links").read_text().splitlines()]
        pointing = [
            link for link, target in links if leads_others(link) and ("/dm-" in target or "/loop" in target)
        ]
        yield Check("a coldplug makes no link to the scratch copy", not pointing, shown(pointing))
        run(("sh", "-c", COLDPLUG), seconds=SLOW, accept=range(256))
        left = links_to_ours()
        yield Check("a coldplug makes no link to the scratch copy of a killed run", not left, shown(left))
        yield ends("killed in a step", "undo")
        run(("sh", "-c", COLDPLUG), seconds=SLOW, accept=range(256))
    heard = {event["DEVNAME"] for event in told.events}
    yield Check("udev has events of scratch copy and drive", {*copies, node} <= heard, shown(sorted(heard)))
    given_away = told.given_away()
    yield Check("udev's events reveal nothing on the scratch copy", not given_away, shown(given_away[:2]))
    whole = [event for event in told.events if event["DEVNAME"] == node and "ID_FS_UUID" in event]
    yield Check("udev's events name the filesystem on the drive", bool(whole), shown(sorted(heard)))
    rules = [rule.name for rule in RULES.glob("*")]
    yield Check("no udev rule is left", not rules, shown(rules))
    yield from undone(node, before)


def stand_in_unseen(fleet: Fleet) -> Iterator[Check]:
    """Check a scratch device of a whole drive, removed while a partition is in use."""
    node = node_of(fleet[TABLED.name])
    run(("sfdisk", "--quiet", "--label", "gpt", node), seconds=SLOW, stdin=b"start=2048\n")
    run(("udevadm", "settle", f"--timeout={int(SLOW)}"), seconds=2 * SLOW, accept=range(256))
    tool("mkfs.ext4", "-q", "-F", "-L", "kept", f"{node}1")
    forget_caches(node)
    image = Path("/run/stand-in.img")
    image.write_bytes(read_bytes(node, 0, TABLED.size_bytes))
    with listening("stand-in") as told:
        with image.open("r+b") as file, attached(file.fileno(), TABLED.logical_block_bytes) as stand_in:
            reread_table(stand_in, anew=True)
            (partition,) = partition_nodes(stand_in)
            seen = tool("blkid", "-p", "-o", "value", "-s", "LABEL", partition).strip()
            yield Check("the scratch device shows the content of the drive", seen == "kept", seen)
            run(("sh", "-c", COLDPLUG), seconds=SLOW, accept=range(256))
            yield Check(
                "a coldplug makes no link to the scratch device", not links_to_ours(), shown(links_to_ours())
            )
            holder = subprocess.Popen(
                ["sh", "-c", f"exec < {partition}; echo; sleep 2"], stdout=subprocess.PIPE
            )
            assert holder.stdout is not None and holder.stdout.read(1)
        left = [*partition_nodes(stand_in), tool("losetup", "--noheadings", "--list").strip()]
        yield Check("the scratch device is removed despite an open partition", left == [""], shown(left))
        holder.wait(timeout=SLOW)
        run(("sh", "-c", COLDPLUG), seconds=SLOW, accept=range(256))
        yield Check("a coldplug makes no link after the removal", not links_to_ours(), shown(links_to_ours()))
    heard = {event["DEVNAME"] for event in told.events}
    yield Check("udev has events of the partition on the drive", f"{node}1" in heard, shown(sorted(heard)))
    given_away = told.given_away()
    yield Check("udev's events reveal nothing on the scratch device", not given_away, shown(given_away[:2]))


JOBS = {"copy-unseen": copy_unseen, "stand-in-unseen": stand_in_unseen}
TITLE = "internal devices stay invisible, also after a coldplug"
VISITS = (Visit(TITLE, UNSEEN_FLEET, tuple(JOBS), 900, udev=True),)
