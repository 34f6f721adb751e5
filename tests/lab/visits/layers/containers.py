"""Shared by jobs with encrypted volumes: passphrases, a plan, and checks of the result."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tests.lab.guest.inside import SHARED, SLOW, diskwright, shown, tool
from wizard.model.layout import Encryption, Volume
from wizard.model.run import Check
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.process.program import find, run

PASSPHRASE = "several words that nobody guesses"
FILE, WRONG = Path("/run/passphrase"), Path("/run/wrong-passphrase")
CHEAP = Path("/run/cheap")
LONG = 600.0
"""Time limit in seconds for a run with many commands, slow in a guest."""
PLACE = Path("/srv/lab/secret")


def prepare() -> None:
    """Write the passphrases, and use a fast key derivation: an emulated CPU takes minutes for two seconds
    of a real one."""
    FILE.write_text(f"{PASSPHRASE}\n")
    WRONG.write_text("several words that somebody guessed\n")
    if CHEAP.exists():
        return
    CHEAP.mkdir()
    real = find("cryptsetup")
    less = "--pbkdf-memory 1024 --pbkdf-parallel 1 --pbkdf-force-iterations 4"
    (CHEAP / "cryptsetup").write_text(
        f'#!/bin/sh\ncase " $* " in *" luksFormat "*) exec {real} "$@" {less};; esac\nexec {real} "$@"\n'
    )
    (CHEAP / "cryptsetup").chmod(0o755)
    os.environ["PATH"] = f"{CHEAP}:{os.environ['PATH']}"


def planned(node: str, *words: str) -> tuple[Path, Plan]:
    """Plan the whole drive as one encrypted ext4. Returns the plan and its file."""
    file = SHARED / f"plan-{Path(node).name}.json"
    asked = ",".join(("workload=small-files,fs=ext4,label=lab-secret,encrypt=luks2", *words))
    diskwright("plan", node, "--replace", "--volume", asked, "-o", str(file))
    return file, PLANS.read(file.read_text(), "the plan")


def stands(plan: Plan) -> Iterator[Check]:
    """Check every volume with cryptsetup, libblkid, the kernel, fstab and crypttab."""
    for volume in plan.volumes:
        container = volume.encryption
        assert container is not None
        status = tool("cryptsetup", "status", container.name)
        wanted = (
            f"device:  {container.device}",
            f"sector size:  {container.sector_bytes}",
            f"offset:  {container.offset_bytes // 512} sectors",
        )
        yield Check(
            f"{container.device}: cryptsetup status matches the plan",
            all(word in status for word in wanted),
            status,
        )
        dump = tool("cryptsetup", "luksDump", container.device)
        is_planned = container.uuid in dump and "argon2id" in dump
        yield Check(f"{container.device}: LUKS2 with the planned UUID and argon2id", is_planned, dump[:1500])
        for device, kind, uuid in (
            (container.device, "crypto_LUKS", container.uuid),
            (volume.path, volume.filesystem, volume.uuid),
        ):
            probed = tool("blkid", "-p", "-o", "export", device).splitlines()
            yield Check(
                f"{device}: blkid finds {kind} with the planned UUID",
                f"TYPE={kind}" in probed and f"UUID={uuid}" in probed,
                shown(probed),
            )
        yield in_use(volume)
        for file, uuid in (("/etc/crypttab", container.uuid), ("/etc/fstab", volume.uuid)):
            lines = [line for line in Path(file).read_text().splitlines() if uuid in line]
            is_there = len(lines) == 1 and "nofail" in lines[0]
            yield Check(f"{volume.filesystem}: {file} has one entry, with nofail", is_there, shown(lines))


def in_use(volume: Volume) -> Check:
    """Return True if the open container is mounted or used as swap, according to the kernel."""
    if volume.filesystem == "swap":
        swaps = tool("swapon", "--show=NAME", "--noheadings", "--raw").split()
        is_on = os.path.realpath(volume.path) in map(os.path.realpath, swaps)
        return Check("the open container is used as swap", is_on, shown(swaps))
    # Btrfs uses the latest name from udev.
    source, kind = tool("findmnt", "-n", "-o", "SOURCE,FSTYPE", str(volume.mount_point)).split()
    is_mounted = (os.path.realpath(source), kind) == (os.path.realpath(volume.path), volume.filesystem)
    return Check(f"the open container is mounted as {volume.filesystem}", is_mounted, f"{source} {kind}")


def open_by_crypttab(container: Encryption) -> None:
    """Open it by its name in crypttab."""
    name = next(
        line.split()[0]
        for line in Path("/etc/crypttab").read_text().splitlines()
        if f"UUID={container.uuid}" in line.split()
    )
    run(
        ["cryptsetup", "open", "--key-file=-", container.device, name],
        seconds=SLOW,
        stdin=PASSPHRASE.encode(),
    )


def let_go(container: Encryption) -> None:
    """Unmount and close everything."""
    tool("umount", str(PLACE))
    tool("cryptsetup", "close", container.name)
