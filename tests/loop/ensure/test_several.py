"""`diskwright ensure` with one Btrfs over several drives: created once, recognised in any order and under
any name, and refused if anything differs or is unknown."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.devices import MakeDrive, release, tool
from tests.loop.apply.test_interrupted import kill
from tests.loop.applying import Work, diskwright, ended, gate, old_gpt, stand_in, until
from tests.loop.ensure.test_ensure import quieted, told, where
from tests.loop.program import MIB, Refused, RunState, is_locked, start_run, state
from tests.schemas.valid import faults_of
from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.look import look_at
from wizard.cli.ensure import ensured
from wizard.model.ensure import EnsuredDrive, WantedDrives
from wizard.plan.desired_state.document import read_wanted
from wizard.plan.plan import Plan

SIZE = 160 * MIB


def text_for(drives: Sequence[str], work: Work, more: str = 'mirror = "btrfs"', volume: str = "") -> str:
    first, *others = [f'{{ path = "{drive}" }}' for drive in drives]
    return f"""schema = "diskwright.wanted/1"
[[drive]]
name = "media"
match = {first}
also = [{", ".join(others)}]
{more}
[[drive.volume]]
workload = "large-media"
mount = "{work.place("media")}"
writable = "root"
{volume}
"""


def wanted_for(
    drives: Sequence[str], work: Work, more: str = 'mirror = "btrfs"', volume: str = ""
) -> WantedDrives:
    for drive in drives:
        work.bench.own(drive)
    return read_wanted(text_for(drives, work, more, volume), "wanted.toml")


def ensure(wanted: WantedDrives, work: Work, *, check: bool = False) -> EnsuredDrive:
    document, _ = ensured(wanted, where(work), check=check)
    (result,) = document.drives
    return result


def digests(work: Work, *drives: str) -> tuple[str, ...]:
    return tuple(work.digest(drive) for drive in drives)


def unmounted(work: Work, *drives: str) -> None:
    """Unmount the filesystem and scan all drives, like udev."""
    tool("umount", str(work.place("media")))
    tool("btrfs", "device", "scan", *(f"{drive}p1" for drive in drives))


@pytest.mark.parametrize("how", ["mirror", "stripe"])
def test_second_run_matches_and_differences_are_refused(how: str, work: Work, make_drive: MakeDrive) -> None:
    drives = make_drive(SIZE), make_drive(SIZE + 32 * MIB)
    right = f'{how} = "btrfs"'
    file = work.folder / "wanted.toml"
    file.write_text(text_for(drives, work, right))
    words = ("ensure", str(file), "--fstab", str(work.fstab), "--detailed-exitcode", "--json")
    blank = digests(work, *drives)
    assert ensure(wanted_for(drives, work, right), work, check=True).state == "would-change"
    assert digests(work, *drives) == blank

    made = diskwright(work, *words)
    assert made.returncode == 5, made.stderr
    assert faults_of(made.stdout) == ""
    (said,) = json.loads(made.stdout)["drives"]
    (also,) = said["also"]
    assert (said["state"], said["path"], also["path"]) == ("changed", *drives)
    for one in (said, also):
        assert one["before"]["volumes"] == []
        (volume,) = one["after"]["volumes"]
        assert volume["mount_points"] == [str(work.place("media"))] and volume["filesystem"] == "btrfs"

    # Neither the order nor what a drive is called counts.
    fstab, before = work.fstab.read_text(), [quieted(work, drive) for drive in drives]
    again = diskwright(work, *words)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["drives"][0]["state"] == "as-wanted"
    swapped = ensure(wanted_for(drives[::-1], work, right), work)
    assert (swapped.state, swapped.runs) == ("as-wanted", ())
    assert [quieted(work, drive) for drive in drives] == before and work.fstab.read_text() == fstab

    # What is missing of its use is added where one change can, else told.
    tool("mount", "-o", "remount,rw", str(work.place("media")))
    work.fstab.write_text("")
    assert ensure(wanted_for(drives, work, right), work).state == "changed"
    assert work.fstab.read_text().split() == fstab.splitlines()[-1].split()
    unmounted(work, *drives)
    missing = ensure(wanted_for(drives, work, right), work)
    assert missing.state == "refused" and "is not mounted" in told(missing)
    assert f"btrfs device scan {drives[0]}p1 {drives[1]}p1" in told(missing)

    # What is wanted otherwise is refused, mounted or not, and never replaced.
    other = 'stripe = "btrfs"' if how == "mirror" else 'mirror = "btrfs"'
    for _ in ("not mounted", "mounted"):
        before = [quieted(work, drive) for drive in drives]
        wrong = ensure(wanted_for(drives, work, other), work)
        assert wrong.state == "refused" and not wrong.replace, told(wrong)
        assert "DATA RAID" in told(wrong) and "fix this manually" in told(wrong)
        label = ensure(wanted_for(drives, work, right, 'label = "films"'), work)
        assert label.state == "refused" and "the label is media instead of films" in told(label)
        for alone in drives:
            # Its table, label and size are those of a Btrfs on one drive, too.
            one = ensure(read_wanted(text_for([alone], work, ""), "w.toml"), work)
            assert one.state == "refused" and "devices" in told(one) and "2" in told(one), told(one)
            assert not one.replace
        assert [quieted(work, drive) for drive in drives] == before
        if not work.place("media").is_mount():
            source = f"{drives[1]}p1"
            tool("mount", "-o", f"device={drives[0]}p1,noatime", source, str(work.place("media")))
    tool("mount", "-o", "remount,rw", str(work.place("media")))
    assert ensure(wanted_for(drives, work, right), work).state == "as-wanted"


def test_mirror_without_one_drive_does_not_match(work: Work, make_drive: MakeDrive) -> None:
    drives = make_drive(SIZE), make_drive(SIZE)
    wanted = wanted_for(drives, work)
    assert ensure(wanted, work).state == "changed"
    unmounted(work, *drives)
    # One is away for a while, and files are written without it.
    tool("btrfs", "device", "scan", "--forget")
    tool("mount", "-o", "degraded", f"{drives[0]}p1", str(work.place("media")))
    degraded = ensure(wanted, work)
    assert degraded.state == "refused" and f"lacks {drives[1]}p1" in told(degraded), told(degraded)
    (work.place("media") / "file").write_bytes(os.urandom(MIB))
    tool("sync")
    tool("umount", str(work.place("media")))
    behind = ensure(wanted, work)
    assert behind.state == "refused" and not behind.replace
    assert f"{drives[1]}p1 missed the latest writes" in told(behind), told(behind)

    # It is gone for good, and an empty one stands in its place.
    third = make_drive(SIZE)
    half = ensure(wanted_for((drives[0], third), work), work)
    assert half.state == "refused" and f"{drives[0]} matches" in told(half), told(half)
    # No line for these two says that what the lost drive holds may be lost, too.
    assert "one of 2 devices" in told(half) and not half.replace


def test_btrfs_with_a_third_device_does_not_match_two(work: Work, make_drive: MakeDrive) -> None:
    drives = make_drive(SIZE), make_drive(SIZE)
    wanted = wanted_for(drives, work)
    assert ensure(wanted, work).state == "changed"
    third = make_drive(SIZE)
    tool("btrfs", "device", "add", "-f", third, str(work.place("media")))
    larger = ensure(wanted, work)
    assert larger.state == "refused" and "devices is 3" in told(larger), told(larger)
    assert f"also contains {third}" in told(larger) and not larger.replace
    tool("btrfs", "device", "remove", third, str(work.place("media")))
    assert ensure(wanted, work).state == "as-wanted"


def test_data_is_lost_only_if_the_file_names_it_exactly(work: Work, make_drive: MakeDrive) -> None:
    old, blank, other = make_drive(SIZE), make_drive(SIZE), make_drive(SIZE)
    old_gpt(old)
    tool("mkswap", other)
    before = digests(work, old, blank, other)
    one = ensure(wanted_for((old, blank), work), work)
    assert one.state == "refused" and one.replace.count(":") == 1, told(one)
    assert old.removeprefix("/dev/") in one.replace
    two = ensure(wanted_for((old, other), work), work)
    assert two.replace.count(":") == 2 and " + " in two.replace
    foreign = ensure(wanted_for((blank, other), work), work).replace
    for value in (foreign, one.replace):
        # A part of what is held, or another drive, allows nothing.
        wrong = wanted_for((old, other), work, f'mirror = "btrfs"\nreplace = "{value}"')
        refused = ensure(wrong, work)
        assert refused.state == "refused" and "other contents" in told(refused)
    wrong = wanted_for((old, blank), work, f'mirror = "btrfs"\nreplace = "{two.replace}"')
    assert ensure(wrong, work).state == "refused"
    assert digests(work, old, blank, other) == before

    right = f'mirror = "btrfs"\nreplace = "{two.replace}"'
    place = work.folder / "elsewhere"
    place.mkdir()
    tool("mount", f"{old}p1", str(place))
    used = ensure(wanted_for((other, old), work, right), work)
    tool("umount", str(place))
    assert used.state == "refused" and "mounted" in told(used)
    # In whatever order they are written.
    assert ensure(wanted_for((other, old), work, right), work).state == "changed"
    assert ensure(wanted_for((old, other), work, right), work).state == "as-wanted"
    label = ensure(wanted_for((old, other), work, right, 'label = "films"'), work)
    assert label.state == "refused" and label.replace not in ("", two.replace)


def test_unrecognised_data_on_one_drive_is_reported(work: Work, make_drive: MakeDrive) -> None:
    drives = make_drive(SIZE), make_drive(SIZE)
    work.bench.own(drives[1])
    with Path(drives[1]).open("r+b", buffering=0) as device:
        # Where the probe reads no sample, and the new filesystem writes.
        device.seek(MIB + 256 * 1024)
        device.write(os.urandom(4096))
        os.fsync(device.fileno())
    before = digests(work, *drives)
    result = ensure(wanted_for(drives, work), work)
    assert result.state == "refused" and drives[1] in told(result), told(result)
    assert drives[0] not in told(result), told(result)
    assert result.replace.count(":") == 1 and digests(work, *drives) == before
    right = wanted_for(drives, work, f'mirror = "btrfs"\nreplace = "{result.replace}"')
    assert ensure(right, work).state == "changed"


def test_drive_matched_twice_or_in_two_entries_is_refused(work: Work, make_drive: MakeDrive) -> None:
    one, two, three = make_drive(SIZE), make_drive(SIZE), make_drive(SIZE)
    link = work.folder / "link"
    link.symlink_to(one)
    before = digests(work, one, two, three)
    work.bench.own(one)
    same = ensure(read_wanted(text_for((one, str(link)), work), "w.toml"), work)
    assert same.state == "refused" and f"Two matches select {one}" in told(same)
    first, second = wanted_for((one, two), work).drive[0], wanted_for((two, three), work).drive[0]
    place = replace(second.volume[0], mount="/srv/elsewhere")
    both = WantedDrives("diskwright.wanted/1", (first, replace(second, volume=(place,))))
    document, _ = ensured(both, where(work), check=False)
    assert [result.state for result in document.drives] == ["refused", "refused"]
    assert all(f"Two entries of the file match {two}" in told(result) for result in document.drives)
    assert faults_of(json.dumps({"schema": "diskwright.ensured/1"})) != ""
    assert not document.changed and digests(work, one, two, three) == before


@pytest.mark.parametrize("what", one_in(2, ("pulled", "used")))
def test_drive_changed_before_the_start_prevents_all_writes(
    what: str, work: Work, make_drive: MakeDrive
) -> None:
    drives = make_drive(SIZE), make_drive(SIZE)
    look = look_at(wanted_for(drives, work).drive[0], where(work))
    assert isinstance(look.document, Plan)
    if what == "pulled":
        release(drives[1])
    else:
        tool("mkswap", drives[1])
    before = work.digest(drives[0])
    with pytest.raises(Refused):
        start_run(look.document, *look.document.tokens, journal_dir=work.runs, environment=work.environment)
    assert work.digest(drives[0]) == before
    # Another test may have got the node of what was pulled.
    there = drives if what == "used" else (drives[0], f"{drives[1]}-gone")
    wanted = read_wanted(text_for(there, work), "wanted.toml")
    assert ensure(wanted, work).state == "refused"
    assert work.digest(drives[0]) == before


def test_interrupted_run_resumes_only_on_exactly_its_drives(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drives, third = (make_drive(SIZE), make_drive(SIZE)), make_drive(SIZE)
    wanted = wanted_for(drives, work)
    look = look_at(wanted.drive[0], where(work))
    assert isinstance(look.document, Plan)
    opened = work.folder / "gate"
    *waiting, real = gate("btrfs", opened).splitlines()
    # Everything is on the drives, and is about to be mounted.
    about = 'if [ "$2" = scan ] && [ "$3" != --forget ]; then'
    stand_in(work.folder / "bin", monkeypatch, "btrfs", "\n".join((about, *waiting, "fi", real)))
    run = start_run(look.document, *look.document.tokens, journal_dir=work.runs, environment=work.environment)
    until(lambda: Path(f"{opened}.reached").exists() or not is_locked(run))
    kill(run)
    opened.touch()
    until(lambda: not is_locked(run))
    assert state(run) is RunState.INTERRUPTED
    # Neither the other order nor one of its drives with another is what it makes.
    before = digests(work, *drives, third)
    for other in (drives[::-1], (drives[0], third)):
        refused = ensure(wanted_for(other, work), work)
        assert refused.state == "refused" and "First resolve the run on" in told(refused), told(refused)
    assert digests(work, *drives, third) == before
    assert ensure(wanted, work).state == "changed"
    assert ensure(wanted_for(drives[::-1], work), work).state == "as-wanted"


def test_run_waiting_on_one_drive_comes_first(work: Work, make_drive: MakeDrive) -> None:
    drives = make_drive(SIZE), make_drive(SIZE)
    old_gpt(drives[1])
    value = ensure(wanted_for(drives, work), work).replace
    wanted = wanted_for(drives, work, f'mirror = "btrfs"\nreplace = "{value}"')
    look = look_at(wanted.drive[0], where(work))
    assert isinstance(look.document, Plan)
    run = start_run(look.document, *look.document.tokens, journal_dir=work.runs, environment=work.environment)
    assert ended(run) is RunState.WAITING
    result = ensure(wanted, work)
    assert result.state == "refused" and "keep" in told(result) and "undo" in told(result)
    # Another computer knows of no run, and sees that the drive waits by its own notice.
    before = digests(work, *drives)
    document, _ = ensured(wanted, Where(work.environment, work.folder / "other"), check=False)
    (result,) = document.drives
    assert result.state == "refused" and "is waiting there" in told(result), told(result)
    assert digests(work, *drives) == before
