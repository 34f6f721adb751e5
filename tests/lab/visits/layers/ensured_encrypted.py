"""Job: `ensure` encrypts a drive with a key file, unattended, and accepts the open result. In doubtful
states it refuses and changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tests.lab.drives.fleet import MIB, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, digests, diskwright, forget_in_fstab, node_of, tool
from tests.lab.visits.layers.containers import LONG, prepare
from wizard.model.errors import partition_path
from wizard.model.run import Check
from wizard.process.program import run

DRIVE = virtio_drive("keyed", 160 * MIB)
FLEET = Fleet("ensured-encrypted", (DRIVE,))
KEY, OTHER = Path("/etc/keys/media.key"), Path("/etc/keys/other.key")
CONTENT = b"\0" + bytes(range(1, 60)) + b"\n\n"
"""A key that cannot be typed, including the newlines."""
PLACE = Path("/srv/lab/keyed")
FILE, PLAN, CRYPTTAB = Path("/run/wanted.toml"), Path("/run/plan.json"), Path("/etc/crypttab")
CHANGED, REFUSED = 5, 3


def ensured_encrypted(fleet: Fleet) -> Iterator[Check]:
    """Create, accept, close and reopen, and refuse after changes."""
    del fleet
    prepare()
    node = node_of(DRIVE)
    KEY.parent.mkdir(mode=0o700)
    for file, content in ((KEY, CONTENT), (OTHER, os.urandom(64))):
        file.write_bytes(content)
        file.chmod(0o600)
    blank = digests([node])
    KEY.chmod(0o644)
    yield _ends("a key file readable by others is refused", REFUSED, "only root owns")
    KEY.chmod(0o600)
    yield Check("nothing is written", digests([node]) == blank, "")

    yield _ends("the first run encrypts the drive", CHANGED)
    fields = CRYPTTAB.read_text().split()
    yield Check("crypttab has the key", fields[2:3] == [str(KEY)], str(fields))
    source = tool("findmnt", "-n", "-o", "SOURCE", str(PLACE)).strip()
    yield Check("the volume is mounted", source == f"/dev/mapper/{fields[0]}", source)
    yield _ends("the second run changes nothing", 0, "already matches")

    tool("umount", str(PLACE))
    before = digests([node])
    yield _ends("an unmounted volume is reported", REFUSED, "is not mounted")
    tool("cryptsetup", "close", fields[0])
    yield _ends("a closed container is refused", REFUSED, "open the container with")
    yield _ends("a wrong key is refused", REFUSED, "does not open", key=OTHER)
    yield Check("no refused run writes anything", digests([node]) == before, "")

    # Like a boot, with the new crypttab and fstab entries.
    tool("cryptsetup", "open", "--key-file", fields[2], partition_path(node, 1), fields[0])
    run(["mount", str(PLACE)], seconds=SLOW)
    yield _ends("reopened and mounted by crypttab and fstab, nothing changes", 0, "already matches")
    yield _ends("another label is refused", REFUSED, "the label is", label="films")
    text = CRYPTTAB.read_text()
    CRYPTTAB.write_text("")
    yield _ends("a missing crypttab entry is reported", REFUSED, "lacks an entry for")
    CRYPTTAB.write_text(text)
    forget_in_fstab(str(PLACE))
    yield _ends("a missing fstab entry is reported", REFUSED, "lacks an entry for")

    tool("umount", str(PLACE))
    tool("cryptsetup", "close", fields[0])
    volume = f"workload=small-files,fs=ext4,label=again,mount={PLACE},encrypt=luks2,key={KEY}"
    diskwright("plan", node, "--replace", "--volume", volume, "-o", str(PLAN))
    diskwright("apply", str(PLAN), "--confirm", DRIVE.serial, seconds=LONG)
    yield Check("apply over old data waits", not os.path.ismount(PLACE), "")
    diskwright("keep", seconds=LONG)
    yield Check("keep uses the key file without asking", os.path.ismount(PLACE), "")


def _ends(what: str, status: int, word: str = "", key: Path = KEY, label: str = "media") -> Check:
    FILE.write_text(
        f"""schema = "diskwright.wanted/1"
[[drive]]
match = {{ serial = "{DRIVE.serial}" }}
[[drive.volume]]
workload = "small-files"
fs = "ext4"
label = "{label}"
mount = "{PLACE}"
writable = "root"
encrypt = "luks2"
key = "{key}"
"""
    )
    ended = diskwright("ensure", str(FILE), "--detailed-exitcode", accept=range(256), seconds=LONG)
    said = f"{ended.status}: {ended.output[-1500:]} {ended.errors[-1500:]}"
    return Check(what, ended.status == status and word in ended.output, said)


JOBS = {"ensured-encrypted": ensured_encrypted}
VISITS = (
    Visit(
        "ensure: encryption with a key file",
        FLEET,
        ("ensured-encrypted",),
        1800,
        udev=False,
        full_only=True,
    ),
)
