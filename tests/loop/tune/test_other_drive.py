"""Changes resume and undo only on their own filesystem: after a reboot, with another drive in its place,
and with a clone. Loop devices have no serial numbers."""

import json
import subprocess
from collections.abc import Callable
from itertools import count, product
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import PowerCut, Work, carry_out, diskwright, ended, said, story, without_power
from tests.loop.bring.swapping import clone, swap
from tests.loop.program import (
    MIB,
    DiskwrightError,
    Event,
    Purpose,
    Refused,
    RunState,
    list_runs,
    probe_machine,
    resume,
    state,
    undo,
)
from tests.loop.tune.test_actions import label_of, made, mounted, mounts_of
from tests.loop.tune.tuning import begin
from wizard.apply.block.devices import write_bytes
from wizard.apply.settings.plan_settings import act
from wizard.findings.diagnose import copies_of
from wizard.model.errors import ExitCode
from wizard.model.requests import Attach, Detach, NewUuid, SetLabel, Wanted


def stood(work: Work, drive: str) -> tuple[str, str, list[str]]:
    return work.fstab.read_text(), label_of(drive), mounts_of(drive)


def wants(work: Work) -> dict[str, Callable[[], Wanted]]:
    return {
        "label": lambda: SetLabel("pictures"),
        "mount": lambda: Attach(str(work.place("new")), ("noatime",)),
        "unmount": lambda: Detach(boot=True),
    }


def restart(work: Work, drive: str) -> None:
    """Replace all mounts by those of fstab, as at boot."""
    for place in reversed(mounts_of(drive)):
        tool("umount", place)
    # By the node: other tests have labels, too.
    names = {
        f"LABEL={label_of(drive)}",
        f"UUID={tool('blkid', '-p', '-s', 'UUID', '-o', 'value', drive).strip()}",
    }
    for line in work.fstab.read_text().splitlines():
        if line.split(" ")[0] in names:
            tool("mount", drive, line.split()[1])


def cut_off(work: Work, drive: str, patch: pytest.MonkeyPatch) -> Path:
    """Return a run interrupted by a power cut after setting the label."""
    run = begin(work, act(drive, SetLabel("pictures"), work.environment))
    without_power(patch, Event.STEP_DONE, 1, lambda: carry_out(run, Purpose.APPLY, ()))
    assert label_of(drive) == "pictures" and state(run) is RunState.INTERRUPTED
    return run


@pytest.mark.parametrize(
    ("what", "step", "way"),
    one_in(4, product(("label", "mount", "unmount"), (1, 2), ("resume", "undo"))),
)
def test_resume_and_undo_work_after_a_reboot(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, what: str, step: int, way: str
) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    line = "" if what == "mount" else f"LABEL=films {place} ext4 nofail 0 2"
    work.fstab.write_text(f"# mine\n{line}\n")
    place.mkdir(parents=True)
    if what == "unmount":
        tool("mount", drive, str(place))
    before = stood(work, drive)
    run = begin(work, act(drive, wants(work)[what](), work.environment))
    without_power(monkeypatch, Event.STEP_DONE, step, lambda: carry_out(run, Purpose.APPLY, ()))
    restart(work, drive)
    if way == "resume":
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        assert not said(run, Event.NOT_VERIFIED)
        assert (mounts_of(drive) == []) is (what == "unmount") or what == "label"
        restart(work, drive)
    undo(run)
    assert state(run) is RunState.UNDONE and stood(work, drive)[:2] == before[:2], story(run)
    restart(work, drive)
    assert mounts_of(drive) == ([] if what == "mount" else [str(place)])


def test_clone_and_original_are_not_written(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = made(work, make_drive, "ext4", "films")
    work.fstab.write_text("LABEL=films /srv/films ext4 nofail 0 2\n")
    run = cut_off(work, drive, monkeypatch)
    other = make_drive(work.bench.image_of(drive).stat().st_size)
    clone(work.bench, drive, other)
    was = work.digest(drive), work.digest(other)
    for way in (resume, undo):
        with pytest.raises(DiskwrightError, match=f"{drive}.*{other}"):
            way(run)
        assert (work.digest(drive), work.digest(other)) == was, story(run)
    tool("wipefs", "--all", "--quiet", other)
    undo(run)
    assert state(run) is RunState.UNDONE and label_of(drive) == "films", story(run)


@pytest.mark.parametrize(
    ("filesystem", "words"),
    [
        ("btrfs", ("mount", "--at", "/srv/copy")),
        ("xfs", ("mount", "--at", "/srv/copy", "--once")),
        ("ext4", ("remount", "noatime,nofail")),
        ("ext4", ("tune", "--workload", "large-media")),
    ],
    ids=lambda part: part if isinstance(part, str) else part[0],
)
def test_ambiguous_fstab_line_is_not_shown(
    work: Work, make_drive: MakeDrive, filesystem: str, words: tuple[str, ...]
) -> None:
    drive = made(work, make_drive, filesystem, "films")
    uuid = uuid_of(drive)
    if words[0] != "mount":
        work.fstab.write_text(f"UUID={uuid} /srv/films {filesystem} defaults 0 2\n")
    other = make_drive(work.bench.image_of(drive).stat().st_size)
    command = (words[0], drive, *words[1:], "--fstab", str(work.fstab))
    alone = diskwright(work, *command)
    assert alone.returncode == 0, alone.stderr
    clone(work.bench, drive, other)
    shown = diskwright(work, *command)
    assert shown.returncode == ExitCode.REFUSED and not shown.stdout
    assert all(word in shown.stderr for word in (drive, other, uuid))


def uuid_of(drive: str) -> str:
    return tool("blkid", "-p", "-s", "UUID", "-o", "value", drive).strip()


@pytest.mark.parametrize("filesystem", ["ext4", "ext2", "xfs", "btrfs", "swap", "vfat", "exfat", "ntfs"])
def test_copy_gets_its_own_uuid_and_undo_restores_the_old_one(
    work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    drive = made(work, make_drive, filesystem, "films")
    other = make_drive(work.bench.image_of(drive).stat().st_size)
    clone(work.bench, drive, other)
    old, was = uuid_of(drive), work.digest(drive)
    fstab = f"UUID={old} /srv/films auto nofail 0 0\n"
    work.fstab.write_text(fstab)
    *_, doubt = act(other, NewUuid(), work.environment).doubts
    assert str(work.fstab) in str(doubt)
    command = ("new-uuid", other, "--fstab", str(work.fstab))
    shown = diskwright(work, *command)
    assert shown.returncode == 0 and uuid_of(other) == old, shown.stderr
    done = diskwright(work, *command, "--confirm", Path(other).name)
    assert done.returncode == 0, done.stderr
    new = uuid_of(other)
    assert new != old and new in shown.stdout and (uuid_of(drive), work.digest(drive)) == (old, was)
    if filesystem == "btrfs":
        # btrfstune refuses a UUID that another device has.
        tool("wipefs", "--all", "--quiet", drive)
        was = work.digest(drive)
    undone = diskwright(work, "undo", list_runs(work.runs)[-1].name)
    assert undone.returncode == 0, undone.stderr
    assert uuid_of(other) == old and work.digest(drive) == was and work.fstab.read_text() == fstab


COPIED = ("gpt", "mbr", "luks1", "luks2")


def with_table_or_luks(work: Work, make_drive: MakeDrive, kind: str) -> str:
    """A copy, of which the original is attached, too."""
    drive = make_drive(64 * MIB)
    work.fstab.write_text("")
    if kind.startswith("luks"):
        key = work.folder / "key"
        key.write_text("secret")
        quick = ("--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", str(key))
        tool("cryptsetup", "luksFormat", "--batch-mode", "--type", kind, *quick, drive)
    else:
        label = {"gpt": "gpt", "mbr": "dos"}[kind]
        parts = "start=2048, size=20480\nsize=20480\nsize=20480\n"
        argv = ("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", drive)
        subprocess.run(argv, input=f"label: {label}\n{parts}", text=True, check=True, timeout=20)
    other = make_drive(64 * MIB)
    clone(work.bench, drive, other)
    return other


def uuids_of(drive: str, kind: str) -> list[str]:
    if kind.startswith("luks"):
        return [tool("cryptsetup", "luksUUID", drive).strip()]
    found = json.loads(tool("sfdisk", "--json", drive))["partitiontable"]
    return [found["id"], *(part["uuid"] for part in found["partitions"] if kind == "gpt")]


def is_sound(drive: str, kind: str) -> bool:
    if kind == "luks2":
        # In the debug output, cryptsetup names each copy whose checksum is wrong.
        return "ondisk checksum doesn't match" not in tool("cryptsetup", "--debug", "luksDump", drive)
    return kind == "luks1" or "No errors detected." in tool("sfdisk", "--verify", drive)


@pytest.mark.parametrize("kind", COPIED)
def test_copied_table_or_container_gets_own_uuids_and_undo_reverts(
    work: Work, make_drive: MakeDrive, kind: str
) -> None:
    drive = with_table_or_luks(work, make_drive, kind)
    old, was = uuids_of(drive, kind), work.digest(drive)
    command = ("new-uuid", drive, "--fstab", str(work.fstab))
    shown = diskwright(work, *command)
    assert shown.returncode == 0 and work.digest(drive) == was, shown.stderr
    done = diskwright(work, *command, "--confirm", Path(drive).name)
    assert done.returncode == 0, done.stderr
    new = uuids_of(drive, kind)
    assert len(new) == len(old) and not {*new} & {*old} and is_sound(drive, kind)
    assert all(uuid.lower().removeprefix("0x") in shown.stdout for uuid in (*old, *new))
    undone = diskwright(work, "undo", list_runs(work.runs)[-1].name)
    assert undone.returncode == 0 and work.digest(drive) == was, undone.stderr


@pytest.mark.parametrize("at", [5000, 16384, 16384 + 450], ids=["first", "second", "second's checksum"])
def test_damaged_copy_of_a_header_is_refused_before_confirming(
    work: Work, make_drive: MakeDrive, at: int
) -> None:
    drive = with_table_or_luks(work, make_drive, "luks2")
    with Path(drive).open("r+b") as device:
        device.seek(at)
        device.write(b"damaged")
    was = work.digest(drive)
    shown = diskwright(work, "new-uuid", drive, "--fstab", str(work.fstab))
    assert shown.returncode == ExitCode.REFUSED and "cryptsetup repair" in shown.stderr
    assert work.digest(drive) == was


@pytest.mark.parametrize("kind", COPIED)
def test_single_drive_is_compared_with_the_udev_data_of_others(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    drive = with_table_or_luks(work, make_drive, kind)
    (original,) = {*work.bench.images} - {drive}
    tags = tool("blkid", "-p", "-o", "udev", original)
    number = Path(f"/sys/class/block/{Path(original).name}/dev").read_text().strip()
    (work.folder / f"b{number}").write_text("".join(f"E:{line}\n" for line in tags.splitlines()))
    monkeypatch.setattr("wizard.probe.host.sysfs.UDEV", work.folder)
    machine = probe_machine([drive])
    assert [one.path for one in machine.drives] == [drive]
    assert [twin for _, _, twin in copies_of(machine, machine.drives[0])] == [original]
    (work.folder / f"b{number}").unlink()
    machine = probe_machine([drive])
    assert not copies_of(machine, machine.drives[0])


@pytest.mark.parametrize("way", ["resume", "undo"])
@pytest.mark.parametrize(
    ("kind", "cut"), [*product(["gpt"], range(4)), ("mbr", 0), ("luks2", 0), ("luks2", 1)]
)
def test_cut_between_two_blocks_stays_readable_and_recovers(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, kind: str, cut: int, way: str
) -> None:
    drive = with_table_or_luks(work, make_drive, kind)
    old, was = uuids_of(drive, kind), work.digest(drive)
    run = begin(work, act(drive, NewUuid(), work.environment))
    real, writes = write_bytes, count()

    def write(path: str, offset_bytes: int, data: bytes) -> None:
        if next(writes) == cut:
            raise PowerCut
        real(path, offset_bytes, data)

    with monkeypatch.context() as patched, pytest.raises(PowerCut):
        patched.setattr("wizard.apply.block.devices.write_bytes", write)
        carry_out(run, Purpose.APPLY, ())
    assert len(uuids_of(drive, kind)) == len(old)
    if way == "resume":
        resume(run)
        assert ended(run) is RunState.DONE and not {*uuids_of(drive, kind)} & {*old}, story(run)
        assert is_sound(drive, kind)
    undo(run)
    assert state(run) is RunState.UNDONE and work.digest(drive) == was, story(run)


def test_table_changed_since_is_left_unchanged(work: Work, make_drive: MakeDrive) -> None:
    drive = with_table_or_luks(work, make_drive, "gpt")
    run = begin(work, act(drive, NewUuid(), work.environment))
    tool("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", "--delete", drive, "2")
    was = work.digest(drive)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.REFUSED and work.digest(drive) == was, story(run)


def test_uuid_in_use_is_not_changed(work: Work, make_drive: MakeDrive) -> None:
    drive = made(work, make_drive, "ext4", "films")
    work.fstab.write_text("")
    with mounted(drive, work.place("films")):
        refused = diskwright(work, "new-uuid", drive, "--confirm", Path(drive).name)
        assert refused.returncode == ExitCode.REFUSED and not refused.stdout


@pytest.mark.alone
def test_replacement_drive_is_left_unchanged(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, other = made(work, make_drive, "ext4", "films"), made(work, make_drive, "ext4", "others")
    work.fstab.write_text("LABEL=films /srv/films ext4 nofail 0 2\n")
    run = cut_off(work, drive, monkeypatch)
    swap(work.bench, drive, other)
    was = work.digest(drive)
    with pytest.raises(Refused):
        resume(run)
    with pytest.raises(DiskwrightError):
        undo(run)
    assert work.digest(drive) == was and label_of(other) == "pictures", story(run)
    swap(work.bench, drive, other)
    undo(run)
    assert state(run) is RunState.UNDONE and label_of(drive) == "films", story(run)
