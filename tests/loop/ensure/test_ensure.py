"""`diskwright ensure` on real drives: a second run changes nothing, and everything outside the request
stays, bit for bit."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.apply.test_interrupted import kill
from tests.loop.applying import Work, diskwright, ended, gate, old_gpt, stand_in, until
from tests.loop.program import MIB, ExitCode, RunState, is_locked, partition_path, start_run
from tests.loop.runs.found.test_replugged import attach, detach
from tests.schemas.valid import faults_of
from wizard.apply.engine.record import UNKNOWN_DATA
from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.look import look_at
from wizard.apply.system.mounts import read_mounts
from wizard.cli.ensure import ensured
from wizard.model.ensure import EnsuredDrive, Match, WantedDrives
from wizard.model.said import Message
from wizard.plan.desired_state.document import read_wanted
from wizard.plan.plan import Plan

SIZE = 96 * MIB
SWAP = """[[drive.volume]]
role = "swap"
size = "32M"
mount = "none"
"""


def text_for(drive: str, work: Work, more: str = "", volume: str = "") -> str:
    return f"""schema = "diskwright.wanted/1"
[[drive]]
name = "media"
match = {{ path = "{drive}" }}
{more}
[[drive.volume]]
workload = "large-media"
mount = "{work.place("media")}"
writable = "root"
{volume or 'fs = "ext4"'}
"""


def wanted_for(drive: str, work: Work, more: str = "", volume: str = "") -> WantedDrives:
    work.bench.own(drive)
    return read_wanted(text_for(drive, work, more, volume), "wanted.toml")


def where(work: Work) -> Where:
    return Where(work.environment, work.runs)


def ensure(wanted: WantedDrives, work: Work, *, check: bool = False) -> EnsuredDrive:
    document, _ = ensured(wanted, where(work), check=check)
    (result,) = document.drives
    return result


def quieted(work: Work, drive: str) -> str:
    """Return a fingerprint of a drive, with its filesystems remounted read-only to stop background writes."""
    for mounted in read_mounts():
        if mounted.source.startswith(drive):
            tool("mount", "-o", "remount,ro", mounted.mount_point)
    return work.digest(drive)


def told(result: EnsuredDrive) -> str:
    return " ".join(str(one.said) for one in result.differences)


def test_second_run_changes_no_drive_and_missing_parts_are_added(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(SIZE)
    file = work.folder / "wanted.toml"
    file.write_text(text_for(drive, work))
    words = ("ensure", str(file), "--fstab", str(work.fstab), "--detailed-exitcode", "--json")
    blank = work.digest(drive)
    assert ensure(wanted_for(drive, work), work, check=True).state == "would-change"
    assert work.digest(drive) == blank

    made = diskwright(work, *words)
    assert made.returncode == 5, made.stderr
    assert faults_of(made.stdout) == ""
    (told_of,) = json.loads(made.stdout)["drives"]
    assert told_of["state"] == "changed" and told_of["before"]["volumes"] == []
    assert told_of["after"]["volumes"][0]["mount_points"] == [str(work.place("media"))]

    fstab, digest = work.fstab.read_text(), quieted(work, drive)
    again = diskwright(work, *words)
    assert again.returncode == 0, again.stderr
    (told_of,) = json.loads(again.stdout)["drives"]
    assert told_of["state"] == "as-wanted" and told_of["runs"] == []
    assert told_of["before"] == told_of["after"]
    assert work.digest(drive) == digest and work.fstab.read_text() == fstab

    # Of what is missing each is added, and nothing else.
    wanted = wanted_for(drive, work)
    tool("mount", "-o", "remount,rw", str(work.place("media")))
    work.fstab.write_text("")
    assert "lacks an entry" in told(ensure(wanted, work, check=True))
    assert ensure(wanted, work).state == "changed"
    assert work.fstab.read_text().split() == fstab.splitlines()[-1].split()
    tool("umount", str(work.place("media")))
    work.place("other").mkdir()
    tool("mount", partition_path(drive, 1), str(work.place("other")))
    elsewhere = ensure(wanted, work)
    assert elsewhere.state == "refused" and f"is mounted at {work.place('other')}" in told(elsewhere)
    tool("umount", str(work.place("other")))
    assert ensure(wanted, work).state == "changed"
    assert ensure(wanted, work).state == "as-wanted"

    # What is wanted otherwise now is refused, and the drive stays.
    digest = quieted(work, drive)
    for other, why in (
        ('fs = "ext4"\nlabel = "films"', "the label is media instead of films"),
        ('fs = "ext4"\nsize = "40M"', "has 94 MiB instead of 40 MiB"),
        ('fs = "ext4"\nsize = "2T"', "98.6 MB (98566144 bytes) is available"),
    ):
        result = ensure(wanted_for(drive, work, volume=other), work)
        assert result.state == "refused" and why in told(result), told(result)
    assert work.digest(drive) == digest
    # A filesystem that is not said is the one that is there.
    assert ensure(wanted_for(drive, work, volume="\n"), work).state == "as-wanted"
    # Its owner is somebody else's now.
    tool("mount", "-o", "remount,rw", str(work.place("media")))
    os.chown(work.place("media"), 1234, 1234)
    assert "the owner and mode is 1234:1234" in told(ensure(wanted, work))


def test_data_is_lost_only_if_the_file_names_it_exactly(
    work: Work, make_drive: MakeDrive, capsys: pytest.CaptureFixture[str]
) -> None:
    drive = make_drive(SIZE)
    old_gpt(drive)
    before = work.digest(drive)
    result = ensure(wanted_for(drive, work), work)
    assert result.state == "refused" and "partitions is 2" in told(result) and result.replace
    for value in (drive.removeprefix("/dev/"), f"{drive.removeprefix('/dev/')}:0123456789ab"):
        assert ensure(wanted_for(drive, work, f'replace = "{value}"'), work).state == "refused"
    # Nor does it matter that what is there could never be what is wanted.
    head = f'schema = "diskwright.wanted/1"\n[[drive]]\nmatch = {{ path = "{drive}" }}\n'
    swap = ensure(read_wanted(head + SWAP, "wanted.toml"), work, check=True)
    assert swap.replace == result.replace
    assert work.digest(drive) == before

    replaces = f'replace = "{result.replace}"'
    place = work.folder / "elsewhere"
    place.mkdir()
    tool("mount", f"{drive}p1", str(place))
    mounted = ensure(wanted_for(drive, work, replaces), work)
    tool("umount", str(place))
    assert mounted.state == "refused" and "mounted" in told(mounted)

    # What is shown is what will be: nothing waits.
    capsys.readouterr()
    assert ensure(wanted_for(drive, work, replaces), work, check=True).state == "would-change"
    shown = " ".join(capsys.readouterr().err.split())
    assert "is used as soon as writing finishes" in shown and "is waiting and not in use" not in shown
    assert "is kept immediately" in shown and "until you keep the result" not in shown

    # To have been mounted changes nothing of what the drive is.
    assert ensure(wanted_for(drive, work, replaces), work).state == "changed"
    assert ensure(wanted_for(drive, work, replaces), work).state == "as-wanted"
    # The same line, left in the file, allows nothing more.
    other = ensure(wanted_for(drive, work, replaces, 'fs = "ext4"\nlabel = "films"'), work)
    assert other.state == "refused" and other.replace not in ("", result.replace)


@pytest.mark.parametrize("at", [MIB + 4096, 60 * MIB], ids=["written over", "sampled"])
def test_unrecognised_data_is_refused_without_permission(at: int, work: Work, make_drive: MakeDrive) -> None:
    drive, size = make_drive(SIZE), MIB
    work.bench.own(drive)
    with Path(drive).open("r+b", buffering=0) as device:
        device.seek(at)
        device.write(b"\xff" * size)
        os.fsync(device.fileno())
    before = work.digest(drive)
    result = ensure(wanted_for(drive, work), work)
    assert result.state == "refused" and result.replace
    said = (one.said for one in result.differences)
    unknown = [one for one in said if isinstance(one, Message) and one.english == UNKNOWN_DATA.english]
    assert [at <= int(str(dict(one.values)["byte"])) < at + size for one in unknown] == [True], told(result)
    assert work.digest(drive) == before
    allows = wanted_for(drive, work, f'replace = "{result.replace}"')
    assert ensure(allows, work).state == "changed"


@pytest.mark.parametrize("moment", one_in(3, ("at once", "while it writes", "waiting")))
def test_unfinished_run_is_continued_or_named(moment: str, work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(SIZE)
    wanted = wanted_for(drive, work)
    if moment == "waiting":
        old_gpt(drive)
        value = ensure(wanted, work).replace
        wanted = replace(wanted, drive=(replace(wanted.drive[0], replace=value),))
    look = look_at(wanted.drive[0], where(work))
    assert isinstance(look.document, Plan)
    run = start_run(look.document, *look.document.tokens, journal_dir=work.runs, environment=work.environment)
    if moment == "waiting":
        assert ended(run) is RunState.WAITING
        result = ensure(wanted, work)
        assert result.state == "refused" and "keep" in told(result) and "undo" in told(result)
        return
    if moment == "while it writes":
        until(lambda: not is_locked(run) or (run / "rehearsed.json").exists())
    with suppress(ProcessLookupError, FileNotFoundError, ValueError):
        if is_locked(run):
            os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: not is_locked(run))
    assert ensure(wanted, work).state in ("changed", "as-wanted")
    assert ensure(wanted, work).state == "as-wanted"


@pytest.mark.parametrize("what", one_in(2, ("swap on an MBR", "subvolumes")))
def test_drive_set_up_another_way_is_unchanged(what: str, work: Work, make_drive: MakeDrive) -> None:
    drive, place = make_drive(160 * MIB), work.place("some where")
    volume = f'[[drive.volume]]\nworkload = "nas"\nwritable = "root"\nmount = "{place}"\nfs = "ext4"\n'
    if what == "subvolumes":
        volume = f"""[[drive.volume]]
workload = "nas"
fs = "btrfs"
subvolume = ["@:{work.place("m")}", "@home:{work.place("m")}/home", "@snapshots"]
"""
    head = f'schema = "diskwright.wanted/1"\n[[drive]]\nmatch = {{ path = "{drive}" }}\n'
    table = "" if what == "subvolumes" else 'table = "mbr"\n' + SWAP
    wanted = read_wanted(head + table + volume, "wanted.toml")
    work.bench.own(drive)
    assert ensure(wanted, work).state == "changed"
    digest = quieted(work, drive)
    assert ensure(wanted, work).state == "as-wanted" and work.digest(drive) == digest
    lines = work.fstab.read_text().splitlines()
    for gone in range(2, len(lines)):
        work.fstab.write_text("\n".join((*lines[:gone], *lines[gone + 1 :], "")))
        assert "lacks an entry" in told(ensure(wanted, work, check=True))
    work.fstab.write_text("\n".join((*lines, "")))
    if what == "subvolumes":
        home = str(work.place("m/home"))
        work.fstab.write_text("\n".join((*lines, "")).replace("subvol=/@home", "subvol=/@snapshots"))
        assert "lacks subvol=/@home" in told(ensure(wanted, work))
        work.fstab.write_text("\n".join((*lines, "")).replace("subvol=/@home", "subvol=@home"))
        assert ensure(wanted, work).state == "as-wanted"
        tool("umount", home)
        tool("mount", "-o", "subvol=/@snapshots", partition_path(drive, 1), home)
        assert "from /@snapshots instead of /@home" in told(ensure(wanted, work))
        return
    link = work.folder / "link"
    link.symlink_to(partition_path(drive, 1))
    fields = (line.split() for line in lines)
    named = [" ".join((str(link), *one[1:])) if one[2:3] == ["swap"] else " ".join(one) for one in fields]
    work.fstab.write_text("\n".join((*named, "")))
    assert ensure(wanted, work).state == "as-wanted"
    tool("mount", "-o", "remount,rw", str(place))
    place.chmod(0o777)
    assert "mode 777" in told(ensure(wanted, work))


def test_no_drive_is_changed_if_one_is_refused(work: Work, make_drive: MakeDrive) -> None:
    blank, taken = make_drive(SIZE), make_drive(SIZE)
    tool("mkswap", taken)
    both = replace(
        wanted_for(blank, work), drive=(*wanted_for(blank, work).drive, *wanted_for(taken, work).drive)
    )
    before = work.digest(blank), work.digest(taken)
    document, _ = ensured(both, where(work), check=False)
    assert [one.state for one in document.drives] == ["would-change", "refused"] and not document.changed
    twice = replace(both, drive=(both.drive[0], both.drive[0]))
    assert {result.state for result in ensured(twice, where(work), check=False)[0].drives} == {"refused"}
    assert before == (work.digest(blank), work.digest(taken))


def test_entries_without_mount_point_get_different_ones(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISKWRIGHT_PLACES", str(work.place("")))
    entry = wanted_for(make_drive(SIZE), work).drive[0]
    free = replace(entry, volume=(replace(entry.volume[0], mount=None),))
    second = replace(free, match=Match(path=make_drive(SIZE)))
    work.bench.own(str(second.match.path))
    both = WantedDrives("diskwright.wanted/1", (free, second))

    def places(wanted: WantedDrives) -> list[str]:
        document, _ = ensured(wanted, where(work), check=True)
        return [one.after.volumes[0].mount_points[0] for one in document.drives if one.after]

    shown = [f"{work.place('media')}{number}" for number in ("", "-2")]
    assert places(both) == shown
    # One that is named further down is nobody else's either.
    assert places(replace(both, drive=(second, entry))) == shown[::-1]
    for state in ("changed", "as-wanted"):
        results = ensured(both, where(work), check=False)[0].drives
        assert [result.state for result in results] == [state, state], [told(one) for one in results]
    lines = [line.split()[1] for line in work.fstab.read_text().splitlines()[-2:]]
    assert lines == shown


@pytest.mark.parametrize("program", one_in(2, ("mkfs.ext4", "mount")))
def test_interrupted_run_loses_only_data_allowed_by_the_current_file(
    program: str, work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(SIZE)
    old_gpt(drive)
    silent = wanted_for(drive, work)
    allows = wanted_for(drive, work, f'replace = "{ensure(silent, work).replace}"')
    look = look_at(allows.drive[0], where(work))
    assert isinstance(look.document, Plan) and look.replaces
    opened = work.folder / "gate"
    *waiting, real = gate(program, opened).splitlines()
    if program == "mount":
        # Everything is on the drive.
        waiting = [f'case "$*" in *{work.place("media")}*)', *waiting, ";; esac"]
    stand_in(work.folder / "bin", monkeypatch, program, "\n".join((*waiting, real)))
    run = start_run(
        look.document, *look.document.tokens, journal_dir=work.runs, environment=work.environment, keep=True
    )
    until(lambda: Path(f"{opened}.reached").exists() or not is_locked(run))
    kill(run)
    opened.touch()
    # What it began goes on without it.
    until(lambda: not is_locked(run) and (program != "mount" or work.place("media").is_mount()))
    before = quieted(work, drive)
    refused = ensure(silent, work)
    why = "destroyed only if" if program == "mkfs.ext4" else "First resolve the run on"
    assert refused.state == "refused" and why in told(refused), told(refused)
    if program == "mount":
        (entry,) = allows.drive
        there = replace(entry, volume=(replace(entry.volume[0], mount=str(work.place("there"))),))
        elsewhere = ensure(replace(allows, drive=(there,)), work)
        assert elsewhere.state == "refused" and "First resolve the run on" in told(elsewhere)
    assert quieted(work, drive) == before
    if program == "mount":
        tool("umount", str(work.place("media")))
    assert ensure(allows, work).state == "changed"
    assert ensure(silent, work).state == "as-wanted"


def test_rehearsal_interrupted_by_a_reboot_starts_again(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check a drive without serial number. A run that wrote nothing to the drive cannot recognise it after
    a reboot."""
    drive = make_drive(SIZE)
    wanted = wanted_for(drive, work)
    look = look_at(wanted.drive[0], where(work))
    assert isinstance(look.document, Plan) and look.document.drive.serial is None
    opened = work.folder / "gate"
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", gate("mkfs.ext4", opened))
    run = start_run(look.document, *look.document.tokens, journal_dir=work.runs, environment=work.environment)
    until(lambda: Path(f"{opened}.reached").exists())
    kill(run)
    opened.touch()
    until(lambda: not is_locked(run))
    attach(work, drive, detach(work, drive))
    document, code = ensured(wanted, where(work), check=False)
    assert ([one.state for one in document.drives], code) == (["changed"], ExitCode.DONE), document
    assert ensure(wanted, work).state == "as-wanted"


@pytest.mark.parametrize(
    ("order", "spoils"),
    [((0, 1), False), ((1, 0), False), ((0, 1), True)],
    ids=["fails first", "fails last", "the other is refused then"],
)
def test_worst_result_of_several_drives_decides_the_exit_code(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, order: tuple[int, int], spoils: bool
) -> None:
    drives = make_drive(SIZE), make_drive(SIZE)
    _, *entries = (
        f'[[drive]]\nmatch = {{ path = "{drive}" }}\n[[drive.volume]]\nworkload = "large-media"\n'
        f'mount = "{work.place(name)}"\nfs = "ext4"\nlabel = "{name}"\n'
        for drive, name in zip(("", *drives), ("", "broken", "whole"), strict=True)
    )
    file = work.folder / "wanted.toml"
    file.write_text('schema = "diskwright.wanted/1"\n' + "".join(entries[at] for at in order))
    real = tool("sh", "-c", "command -v mkfs.ext4").strip()
    # The first time it is only tried out if the plan can be made.
    fails = f"mkdir {work.folder}/tried || {{ {f'mkswap {drives[1]};' if spoils else ''} exit 1; }}"
    script = f'case "$*" in *broken*) {fails} ;; esac\nexec {real} "$@"'
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", script)
    done = diskwright(work, "ensure", str(file), "--fstab", str(work.fstab), "--json")
    assert done.returncode == ExitCode.FAILED, done.stderr
    states = {one["path"]: one["state"] for one in json.loads(done.stdout)["drives"]}
    assert states[drives[0]] == "failed"
    assert states[drives[1]] == ("refused" if spoils else "changed")
