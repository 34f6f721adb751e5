"""Single actions on an existing filesystem by command: labels, mounts, options. The result matches the
display, libblkid and the kernel, and `undo` restores everything, with fstab byte for byte."""

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright
from tests.loop.program import MIB, Refused, RunState, list_runs, probe_machine, start_document, state
from wizard.apply.run.job import Start
from wizard.apply.run.runs import in_order
from wizard.apply.settings import plan_settings
from wizard.apply.settings.existing_filesystem import options_at_boot
from wizard.apply.system import fstab as system_fstab
from wizard.apply.system.mounts import users_of
from wizard.model.requests import SetLabel, SetOptions

BEFORE_IT, BEHIND_IT = "# at boot\nproc /proc proc defaults 0 0\n", "\n# the end"

MAKERS = {
    "ext2": ("mkfs.ext2", "-q", "-F", "-L"),
    "ext3": ("mkfs.ext3", "-q", "-F", "-L"),
    "ext4": ("mkfs.ext4", "-q", "-F", "-L"),
    "xfs": ("mkfs.xfs", "-q", "-f", "-L"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-L"),
    "vfat": ("mkfs.vfat", "-F", "32", "-n"),
    "exfat": ("mkfs.exfat", "-L"),
    "ntfs": ("mkfs.ntfs", "-Q", "-q", "-L"),
    "swap": ("mkswap", "-q", "-L"),
    "f2fs": ("mkfs.f2fs", "-q", "-f", "-l"),
    "jfs": ("mkfs.jfs", "-q", "-L"),
    "nilfs2": ("mkfs.nilfs2", "-q", "-f", "-L"),
}
SIZE = 320 * MIB

NOBODY = pwd.getpwnam("nobody")


def made(work: Work, make_drive: MakeDrive, filesystem: str, label: str = "OLD ONE") -> str:
    """Create a test drive with a filesystem and label on the whole drive."""
    drive = make_drive(SIZE)
    work.bench.own(drive)
    tool(*MAKERS[filesystem], label, drive)
    return drive


def label_of(drive: str) -> str:
    return tool("blkid", "-p", "-o", "value", "-s", "LABEL", drive).rstrip("\n")


def do(work: Work, *words: str, code: int = 0) -> str:
    """Run a command with confirmation, and return its output."""
    token = Path(words[1]).name
    done = diskwright(work, *words, "--fstab", str(work.fstab), "--confirm", token)
    assert done.returncode == code, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def undo(work: Work) -> None:
    undone = diskwright(work, "undo", list_runs(work.runs)[-1].name)
    assert undone.returncode == 0, undone.stderr


@contextmanager
def mounted(drive: str, place: Path) -> Iterator[None]:
    place.mkdir(parents=True)
    tool("mount", drive, str(place))
    yield
    tool("umount", str(place))


def mounts_of(drive: str) -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line.split()[4] for line in lines if f" {drive} " in line]


@pytest.mark.parametrize("filesystem", MAKERS)
def test_label_changes_with_its_fstab_line_and_undo_reverts_both(
    work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    old = "OLD-ONE" if filesystem == "xfs" else "OLD ONE"
    drive = made(work, make_drive, filesystem, old)
    line = f'LABEL="{old}"' if " " not in old else "LABEL=OLD\\040ONE"
    before = f"{BEFORE_IT}{line}\t/srv/old  auto\tnofail,noatime 0 2 # mine{BEHIND_IT}"
    work.fstab.write_text(before)
    shown = diskwright(work, "label", drive, "FILMS", "--fstab", str(work.fstab))
    assert shown.returncode == 0 and f"Label {drive} 'FILMS' instead of '{old}'." in shown.stdout
    assert label_of(drive) == old and work.fstab.read_text() == before, "it was only shown"
    do(work, "label", drive, "FILMS")
    assert label_of(drive) == "FILMS"
    assert work.fstab.read_text() == before.replace(line, "LABEL=FILMS")
    undo(work)
    assert label_of(drive) == old and work.fstab.read_text() == before


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs"])
def test_label_changes_while_mounted(work: Work, make_drive: MakeDrive, filesystem: str) -> None:
    drive = made(work, make_drive, filesystem, "films")
    work.fstab.write_text("")
    with mounted(drive, work.place("films")), (work.place("films") / "film").open("w") as film:
        film.write("It is in use.")
        do(work, "label", drive, "pictures")
        assert label_of(drive) == "pictures" and mounts_of(drive)
        undo(work)
        assert label_of(drive) == "films"


def test_undo_removes_the_label_of_an_unlabelled_filesystem(work: Work, make_drive: MakeDrive) -> None:
    work.fstab.write_text("")
    for filesystem in ("xfs", "vfat", "ntfs"):
        drive = make_drive(SIZE)
        work.bench.own(drive)
        tool(*MAKERS[filesystem][:-1], drive)
        do(work, "label", drive, "FILMS")
        assert label_of(drive) == "FILMS"
        undo(work)
        assert label_of(drive) == "", filesystem


@pytest.mark.parametrize(
    ("filesystem", "label", "says"),
    [
        ("xfs", "a b", "contains a blank"),
        ("vfat", "small", "lowercase letters"),
        ("ext4", "longer than sixteen", "longer than the 16 bytes"),
        ("ext4", "taken", "mounts another filesystem by the label 'taken'"),
        ("ext4", "OLD ONE", "already as requested"),
    ],
)
def test_invalid_label_is_refused(
    work: Work, make_drive: MakeDrive, filesystem: str, label: str, says: str
) -> None:
    old = "OLD-ONE" if filesystem == "xfs" else "OLD ONE"
    drive = made(work, make_drive, filesystem, old)
    work.fstab.write_text("LABEL=taken /taken ext4 nofail 0 2\n")
    assert says in do(work, "label", drive, label, code=3)
    assert label_of(drive) == old and not work.runs.exists()


def test_label_on_the_kernel_command_line_is_not_changed(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = made(work, make_drive, "ext4", "films")
    work.fstab.write_text("")
    (work.folder / "cmdline").write_text("ro root=LABEL=films quiet\n")
    monkeypatch.setattr(system_fstab, "CMDLINE", work.folder / "cmdline")
    with pytest.raises(Refused, match="The kernel was started with root=LABEL=films"):
        plan_settings.act(drive, SetLabel("pictures"), work.environment)
    (work.folder / "cmdline").write_text("ro root=LABEL=films2 quiet\n")
    assert plan_settings.act(drive, SetLabel("pictures"), work.environment).steps


def test_device_opened_by_a_program_since_the_plan_is_not_changed(work: Work, make_drive: MakeDrive) -> None:
    drive = made(work, make_drive, "ext4", "films")
    work.fstab.write_text("")
    changes = plan_settings.act(drive, SetLabel("pictures"), work.environment)
    how = Start(changes.tokens, work.runs, work.environment)
    held = os.open(drive, os.O_RDONLY | os.O_EXCL)
    try:
        with pytest.raises(Refused, match="open in another program"):
            start_document(changes, how)
    finally:
        os.close(held)
    assert label_of(drive) == "films"


def test_label_that_undo_could_not_restore_is_not_changed(work: Work, make_drive: MakeDrive) -> None:
    work.fstab.write_text("")
    drive = made(work, make_drive, "xfs", "a b")
    assert "so undo could not restore this label" in do(work, "label", drive, "films", code=3)
    assert label_of(drive) == "a b"


@pytest.mark.parametrize(("filesystem", "check"), [("ext4", 2), ("ntfs", 0)])
def test_mount_now_and_at_boot_unmount_and_undo_all(
    work: Work, make_drive: MakeDrive, filesystem: str, check: int
) -> None:
    """Mount NTFS with ntfs-3g if the kernel lacks ntfs3."""
    drive, place = made(work, make_drive, filesystem, "films"), work.place("films")
    kernel = Path("/proc/filesystems").read_text().split()
    driver = filesystem if filesystem in kernel else "ntfs3" if "ntfs3" in kernel else "ntfs-3g"
    uuid = tool("blkid", "-p", "-o", "value", "-s", "UUID", drive).strip()
    before = f"{BEFORE_IT}# no line end"
    work.fstab.write_text(before)
    do(work, "mount", drive, "--at", str(place), "--options", "noatime")
    assert mounts_of(drive) == [str(place)]
    line = f"UUID={uuid} {place} {driver} noatime,nofail 0 {check}\n"
    assert work.fstab.read_text() == f"{before}\n{line}"
    assert "already as requested" in do(work, "mount", drive, code=3)

    do(work, "unmount", drive, "--boot")
    assert not mounts_of(drive) and work.fstab.read_text() == f"{before}\n"
    undo(work)
    assert mounts_of(drive) == [str(place)] and work.fstab.read_text() == f"{before}\n{line}"

    undone = diskwright(work, "undo", list_runs(work.runs)[0].name)
    assert undone.returncode == 0, undone.stderr
    assert not mounts_of(drive) and work.fstab.read_text() == before


def test_once_leaves_fstab_unchanged_and_an_entry_gives_the_place(work: Work, make_drive: MakeDrive) -> None:
    drive, place = made(work, make_drive, "btrfs", "films"), work.place("films")
    work.fstab.write_text("")
    do(work, "mount", drive, "--at", str(place), "--once")
    assert mounts_of(drive) == [str(place)] and work.fstab.read_text() == ""
    undo(work)
    assert not mounts_of(drive)

    line = f"LABEL=films {place} btrfs noatime,nofail,x-systemd.device-timeout=9 0 0\n"
    work.fstab.write_text(line)
    elsewhere = do(work, "mount", drive, "--at", str(work.place("other")), code=3)
    assert "omit --at" in elsewhere and not mounts_of(drive)
    do(work, "mount", drive)
    assert mounts_of(drive) == [str(place)] and work.fstab.read_text() == line
    assert "noatime" in tool("findmnt", "-n", "-o", "OPTIONS", str(place))


def test_mount_point_with_a_used_name_gets_a_suffix(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the mount point follows the rule for new volumes."""
    drive, places = made(work, make_drive, "ext4", "films"), work.folder / "places"
    monkeypatch.setenv("DISKWRIGHT_PLACES", str(places))
    (places / "films").mkdir(parents=True)
    (places / "films/mine").write_text("here before")
    do(work, "mount", drive)
    assert mounts_of(drive) == [str(places / "films-2")]
    assert (places / "films/mine").read_text() == "here before"
    undo(work)
    assert mounts_of(drive) == []


def test_busy_filesystem_is_not_unmounted_and_its_users_are_named(work: Work, make_drive: MakeDrive) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    work.fstab.write_text("")
    with mounted(drive, place):
        (place / "film").write_text("It is watched.")
        with subprocess.Popen(["sleep", "60"], cwd=place) as viewer:
            assert users_of(str(place)) == (f"sleep ({viewer.pid})",)
            assert f"is in use by sleep ({viewer.pid})" in do(work, "unmount", drive, code=3)
            viewer.terminate()
        with (place / "film").open() as film:
            assert f"({os.getpid()})" in do(work, "unmount", drive, code=3)
            assert film.read() == "It is watched." and mounts_of(drive)
        below = place / "below"
        below.mkdir()
        tool("mount", "-t", "tmpfs", "none", str(below))
        assert f"{below} is mounted below" in do(work, "unmount", drive, code=3)
        tool("umount", str(below))
        journal = ("--journal", str(place / "runs"))
        assert "journal is on" in do(work, "unmount", drive, *journal, code=3)
        assert mounts_of(drive) == [str(place)]


def test_options_are_replaced_in_fstab_and_in_force_if_possible(work: Work, make_drive: MakeDrive) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    before = f"{BEFORE_IT}LABEL=films\t{place} ext4 relatime,nofail 0 2{BEHIND_IT}"
    work.fstab.write_text(before)
    with mounted(drive, place):
        said = do(work, "remount", drive, "noatime,nofail,commit=30")
        assert "The change to commit takes effect at the next mount." in said
        assert "noatime" in tool("findmnt", "-n", "-o", "OPTIONS", str(place))
        assert work.fstab.read_text() == before.replace("relatime,nofail", "noatime,nofail,commit=30")
        do(work, "remount", drive, "nodev,noexec,nofail")
        words = tool("findmnt", "-n", "-o", "OPTIONS", str(place)).strip().split(",")
        assert {"nodev", "noexec", "relatime"} <= {*words}, "noatime is gone, too"
        do(work, "remount", drive, "noexec,nofail")
        words = tool("findmnt", "-n", "-o", "OPTIONS", str(place)).strip().split(",")
        assert "noexec" in words and "nodev" not in words
        for _ in range(3):
            last = max((run for run in list_runs(work.runs) if state(run) is RunState.DONE), key=in_order)
            assert diskwright(work, "undo", last.name).returncode == 0
        words = tool("findmnt", "-n", "-o", "OPTIONS", str(place)).strip().split(",")
        assert not {"nodev", "noexec"} & {*words}
        assert "relatime" in tool("findmnt", "-n", "-o", "OPTIONS", str(place))
        assert work.fstab.read_text() == before
        for options, says in (
            ("noatime,barrier=0", "barrier=0 puts data at risk"),
            ("noatime,user", "would change the action of mount"),
            ("relatime,nofail", "already as requested"),
        ):
            assert says in do(work, "remount", drive, options, code=3)
        assert work.fstab.read_text() == before


def test_empty_options_are_the_defaults_and_review_shows_old_and_new(
    work: Work, make_drive: MakeDrive
) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    work.fstab.write_text(f"LABEL=films {place} ext4 nofail 0 2\n")
    (found,) = probe_machine([drive]).drives
    assert options_at_boot(found, drive, work.fstab) == ("nofail",)
    shown = diskwright(work, "remount", drive, "", "--fstab", str(work.fstab))
    assert "from nofail to defaults" in " ".join(shown.stdout.split())
    do(work, "remount", drive, "")
    assert work.fstab.read_text() == f"LABEL=films {place} ext4 defaults 0 2\n"
    work.fstab.write_text("")
    assert options_at_boot(found, drive, work.fstab) is None


def test_saved_changes_are_refused_once_they_differ_from_current_ones(
    work: Work, make_drive: MakeDrive
) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    file, own = work.folder / "label.json", ("--fstab", str(work.fstab))
    work.fstab.write_text("")
    written = diskwright(work, "label", drive, "pictures", "-o", str(file), *own)
    assert written.returncode == 0 and label_of(drive) == "films"
    work.fstab.write_text(f"LABEL=films {place} ext4 nofail 0 2\n")
    apply = ("apply", str(file), "--confirm", Path(drive).name, *own)
    late = diskwright(work, *apply)
    assert late.returncode == 3 and "differ from the ones required now" in " ".join(late.stderr.split())
    assert label_of(drive) == "films"
    work.fstab.write_text("")
    assert diskwright(work, *apply).returncode == 0 and label_of(drive) == "pictures"


@pytest.mark.parametrize(
    ("filesystem", "in_use", "options", "named"),
    [
        ("ext4", True, "sync,foo", "Unknown parameter 'foo'"),
        ("ext4", False, "noatime,nofail,commit=x", "'commit'"),
        ("xfs", True, "nofail,logbufs=many", "'logbufs'"),
        ("btrfs", False, "compress=foo,nofail", "compress=foo: "),
    ],
)
def test_options_refused_by_the_kernel_do_not_reach_fstab(
    work: Work, make_drive: MakeDrive, filesystem: str, in_use: bool, options: str, named: str
) -> None:
    drive, place = made(work, make_drive, filesystem, "films"), work.place("films")
    before = f"LABEL=films {place} auto nofail 0 0\n"
    work.fstab.write_text(before)
    content = Path(drive).read_bytes()
    with mounted(drive, place) if in_use else nullcontext():
        shown = diskwright(work, "remount", drive, options, "--fstab", str(work.fstab))
        assert shown.returncode == 3 and named in shown.stderr
        do(work, "remount", drive, options, code=3)
    assert work.fstab.read_text() == before and not work.runs.exists()
    assert in_use or Path(drive).read_bytes() == content


def test_options_refused_by_this_filesystem_do_not_reach_fstab(work: Work, make_drive: MakeDrive) -> None:
    """Check options known to the driver that fail at mount: without a journal, data=journal is impossible."""
    drive, place = made(work, make_drive, "ext2", "films"), work.place("films")
    content = Path(drive).read_bytes()
    work.fstab.write_text("")
    for once in ((), ("--once",)):
        do(work, "mount", drive, "--at", str(place), "--options", "data=journal", *once, code=3)
    assert work.fstab.read_text() == "" and not place.exists() and Path(drive).read_bytes() == content
    do(
        work,
        "mount",
        drive,
        "--at",
        str(place),
        "--options",
        "noatime,nodiratime,sync,nodev,errors=remount-ro",
    )
    assert mounts_of(drive) == [str(place)]


def test_document_with_options_refused_by_the_kernel_is_refused(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that an ordinary user's plan is validated before the first write."""
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    before = f"LABEL=films {place} ext4 nofail 0 0\n"
    work.fstab.write_text(before)
    with monkeypatch.context() as unchecked:
        unchecked.setattr("wizard.apply.settings.guard.check_options", lambda _: None)
        changes = plan_settings.act(drive, SetOptions(("nofail", "foo")), work.environment)
    with pytest.raises(Refused, match="Unknown parameter 'foo'"):
        start_document(changes, Start((changes.drive.token,), work.runs, work.environment))
    assert work.fstab.read_text() == before and not list_runs(work.runs)


@pytest.mark.parametrize(
    ("old", "new", "warns"),
    [
        ("nofail", "noatime", True),
        ("noauto", "defaults", True),
        ("nofail,noauto", "noauto", False),
        ("relatime", "noatime", False),
        ("nofail", "nofail,noatime", False),
    ],
)
def test_line_without_nofail_causes_a_warning(
    work: Work, make_drive: MakeDrive, old: str, new: str, warns: bool
) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    work.fstab.write_text(f"LABEL=films {place} ext4 {old} 0 0\n")
    changes = plan_settings.act(drive, SetOptions(tuple(new.split(","))), work.environment)
    assert any(str(one).startswith("Without nofail") for one in changes.doubts) is warns


def top_of(place: Path) -> tuple[int, int, int]:
    status = place.stat()
    return status.st_uid, status.st_gid, status.st_mode & 0o7777


@pytest.mark.parametrize("state", ["unmounted", "mounted", "listed"])
@pytest.mark.parametrize(
    ("who", "top"),
    [
        ("nobody", (NOBODY.pw_uid, NOBODY.pw_gid, 0o755)),
        ("group:daemon", (0, 1, 0o2775)),
        ("everyone", (0, 0, 0o1777)),
    ],
)
def test_undo_restores_the_owner_of_a_filesystem_made_writable(
    work: Work, make_drive: MakeDrive, state: str, who: str, top: tuple[int, int, int]
) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    before = f"LABEL=films {place} ext4 nofail 0 2\n" if state == "listed" else ""
    work.fstab.write_text(before)
    with mounted(drive, place) if state != "unmounted" else nullcontext():
        at = () if state == "listed" else ("--at", str(place))
        shown = diskwright(work, "mount", drive, *at, "--writable", who, "--fstab", str(work.fstab))
        # Long commands continue after a backslash.
        commands = " ".join(shown.stdout.replace("\\\n", " ").split())
        assert f"chown {top[0]}:{top[1]} {place}" in commands and not list_runs(work.runs)
        do(work, "mount", drive, *at, "--writable", who)
        assert top_of(place) == top
        undo(work)
        if state != "unmounted":
            assert top_of(place) == (0, 0, 0o755)
        assert work.fstab.read_text() == before
    with mounted(drive, work.place("again")):
        assert top_of(work.place("again")) == (0, 0, 0o755)


def test_owner_is_set_only_on_filesystems_with_owners(work: Work, make_drive: MakeDrive) -> None:
    drive, place = made(work, make_drive, "xfs", "films"), work.place("films")
    work.fstab.write_text("")
    with mounted(drive, place):
        tune = (
            "tune",
            drive,
            "--workload",
            "large-media",
            "--fstab",
            str(work.fstab),
            "--writable",
            "nobody",
        )
        file = work.folder / "better.json"
        assert diskwright(work, *tune, "-o", str(file)).returncode == 0
        apply = ("apply", str(file), "--confirm", Path(drive).name, "--fstab", str(work.fstab))
        done = diskwright(work, *apply)
        assert done.returncode == 0 and top_of(place)[0] == NOBODY.pw_uid, done.stderr
        undo(work)
        assert top_of(place)[0] == 0
    assert diskwright(work, *tune).returncode == 3, "not mounted"
    assert diskwright(work, "mount", drive, "--writable", "nobody-of-this-name").returncode == 2


def test_owner_is_not_restored_on_the_folder_below_the_mount(work: Work, make_drive: MakeDrive) -> None:
    drive, place = made(work, make_drive, "ext4", "films"), work.place("films")
    work.fstab.write_text("")
    do(work, "mount", drive, "--at", str(place), "--writable", "nobody", "--once")
    tool("umount", str(place))
    below = top_of(place)
    assert diskwright(work, "undo", list_runs(work.runs)[-1].name).returncode != 0
    assert top_of(place) == below
    tool("mount", drive, str(place))
    undo(work)
    assert not mounts_of(drive) and not place.is_mount()
