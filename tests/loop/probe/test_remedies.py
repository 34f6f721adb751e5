"""Commands that findings name, run on real drives: none of them is refused."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright
from tests.loop.engine.test_old_pools import label
from tests.loop.program import MIB, partition_path, probe_machine
from wizard.apply.remedies import absent_at_boot, diagnose
from wizard.cli import inspect
from wizard.cli.main import main
from wizard.findings.geometry import load_patterns
from wizard.model.finding import Finding

MISALIGNED = "label: {label}\nstart=63,size=700000,type={kind}\n"
REFUSED = {
    "mounted": ("dos", "83", ("mkfs.ext4", "-q")),
    "nothing recognised": ("dos", "83", ()),
    "conflicting signatures": ("dos", "83", ("mkfs.btrfs", "-q", "-f")),
}


def findings(path: str) -> list[Finding]:
    machine = probe_machine([path])
    return list(diagnose(machine, machine.drives[0], load_patterns()).findings)


def misaligned(make_drive: MakeDrive, label: str, kind: str, makes: tuple[str, ...]) -> str:
    path = make_drive(600 * MIB)
    script = MISALIGNED.format(label=label, kind=kind)
    script = script.replace("start=63", "first-lba: 34\nstart=65") if label == "gpt" else script
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread {path}")
    tool("partx", "--add", path)
    if makes:
        tool(*makes, partition_path(path, 1))
    return path


@pytest.mark.parametrize("name", list(REFUSED))
def test_refused_move_is_not_offered(work: Work, make_drive: MakeDrive, name: str) -> None:
    path = misaligned(make_drive, *REFUSED[name])
    if name == "conflicting signatures":
        with Path(partition_path(path, 1)).open("r+b") as part:
            work.bench.own(path)
            part.seek(1024)
            part.write((1).to_bytes(4, "little") + (1000).to_bytes(4, "little"))
            part.seek(4086)
            part.write(b"SWAPSPACE2")
    if name == "mounted":
        place = work.place("held")
        place.mkdir(parents=True)
        tool("mount", partition_path(path, 1), str(place))
    (found,) = (one for one in findings(path) if one.code == "alignment-4096")
    assert not any("move" in command.argv for command in found.commands)
    assert diskwright(work, "move", partition_path(path, 1), "--dry-run").returncode != 0


PLACES = {
    ("zfs_member", False): (2048, 1024000),
    ("zfs_member", True): (2048, 1226700),
    ("btrfs", False): (2048, 1024000),
    ("btrfs", True): (64, 1024000),
}
"""Start and size in blocks of a partition beside the signature, or over a part of it."""


@pytest.mark.parametrize("inside", [False, True], ids=["outside partitions", "also in a partition"])
@pytest.mark.parametrize("kind", ["zfs_member", "btrfs"])
def test_stale_signature_is_erased_with_its_copies(
    work: Work, make_drive: MakeDrive, kind: str, inside: bool
) -> None:
    path = make_drive(600 * MIB)
    if kind == "btrfs":
        tool("mkfs.btrfs", "-q", path)
    else:
        label(path, "oldtank", 6)
    start, size = PLACES[kind, inside]
    script = f"label: gpt\nfirst-lba: 34\nstart={start},size={size}\n"
    tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --wipe never --no-reread {path}")
    (finding,) = (one for one in findings(path) if one.code == "signatures-beside-table")
    (command,) = finding.commands
    assert ("--all" in command.argv) is not inside
    if not inside:
        before = [part.extent for part in probe_machine([path]).drives[0].partitions]
        tool("env", f"HOME={work.folder}", *command.argv)
        (after,) = probe_machine([path]).drives
        assert not after.signatures and [part.extent for part in after.partitions] == before


NAMES = ("UUID", "LABEL", "PARTUUID", "PARTLABEL", "path", "link")


@pytest.mark.parametrize("name", NAMES)
def test_removable_drive_gets_nofail_in_fstab(work: Work, make_drive: MakeDrive, name: str) -> None:
    path = make_drive(64 * MIB)
    tool("sh", "-c", f"echo 'start=1MiB,name=photos' | sfdisk --quiet --label gpt --no-reread {path}")
    tool("partx", "--add", path)
    node = partition_path(path, 1)
    tool("mkfs.ext4", "-q", "-L", "pics", node)
    drive = probe_machine([path]).drives[0]
    (part,) = drive.partitions
    link = work.folder / "link"
    link.symlink_to(node)
    sources = (f"UUID={part.signatures[0].uuid}", "LABEL=pics", f"PARTUUID={part.part_uuid}")
    source = dict(zip(NAMES, (*sources, "PARTLABEL=photos", node, str(link)), strict=True))[name]
    work.fstab.write_text(f"proc /proc proc\n{source} {work.place('usb')} ext4 noatime 0 2\n")

    def found(*, removable: bool = False) -> list[Finding]:
        machine = probe_machine([path])
        one = replace(machine.drives[0], removable=removable)
        findings = diagnose(machine, one, (), fstab=work.fstab).findings
        return [finding for finding in findings if finding.code == "boot-may-stop"]

    assert not found()
    (finding,) = found(removable=True)
    assert "Line 2" in str(finding.sentence) and finding.subject == node
    (command,) = finding.commands
    options = ("--fstab", str(work.fstab), "--confirm", drive.serial or Path(path).name)
    done = diskwright(work, *command.argv[1:], *options)
    assert done.returncode == 0, done.stderr
    assert work.fstab.read_text().split("\n")[1].split()[3] == "noatime,nofail"
    assert not found(removable=True)


def test_fstab_lines_of_missing_drives_are_listed(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_drive(64 * MIB)
    tool("mkfs.ext4", "-q", "-L", "here", path)
    gone = ("UUID=0f0f0f0f-1111-4222-8333-444444444444", "LABEL=gone", "/dev/disk/by-id/usb-gone-part1")
    there = ("LABEL=here", path, "tmpfs", "server:/films", "//server/films", "/dev/mapper/closed", "/image")
    lines = [f"{source} /mnt/{number} auto defaults 0 0" for number, source in enumerate((*there, *gone))]
    lines += [f"LABEL=other /mnt/{option} ext4 {option} 0 0" for option in ("nofail", "noauto")]
    work.fstab.write_text("\n".join(lines))
    monkeypatch.setattr(inspect, "OWN_FSTAB", work.fstab)
    monkeypatch.setattr(inspect, "_machine", lambda _arguments: probe_machine([path]))
    assert main(["inspect", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["subject"] for finding in found] == list(gone)
    assert main(["inspect"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert all(f"names {source}, which was not found" in told for source in gone)
    for finding in found:
        for command in finding["commands"]:
            tool(*command["argv"])
    assert not [*absent_at_boot(probe_machine([path]), work.fstab)]
    added = [line for line in work.fstab.read_text().split("\n") if line.endswith("auto defaults,nofail 0 0")]
    assert [line.split()[0] for line in added] == list(gone)


@pytest.mark.parametrize("source", ["UUID=AB12-34CD", "LABEL=gone", "PARTLABEL=gone", "/dev/disk/by-id/gone"])
def test_missing_drives_are_listed_although_another_is_unreadable(
    work: Work, make_drive: MakeDrive, source: str
) -> None:
    path = make_drive(64 * MIB)
    work.fstab.write_text(f"{source} /mnt/gone auto defaults 0 0\n")
    machine = probe_machine([path])
    unread = replace(machine, drives=(replace(machine.drives[0], table=None, content_digest=None),))
    for seen, named in ((machine, False), (unread, True)):
        (finding,) = absent_at_boot(seen, work.fstab)
        assert source in str(finding.sentence) and (path in str(finding.sentence)) is named
