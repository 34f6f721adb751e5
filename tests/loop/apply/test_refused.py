"""Refused plans: each ends with a message and leaves the drive, fstab and the runs unchanged."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import OLD_FSTAB, Work, diskwright, old_gpt, spec
from tests.loop.program import (
    MIB,
    PLANS,
    BadInput,
    DiskwrightError,
    Environment,
    Mode,
    Plan,
    Refused,
    preflight,
    probe_machine,
    start_run,
)
from wizard.host.services import Services
from wizard.plan.request.plan_request import NewVolumes


@contextmanager
def untouched(work: Work, *drives: str) -> Iterator[None]:
    """Check that the drives, fstab and the runs stay unchanged."""
    before = [work.digest(drive) for drive in drives]
    yield
    assert [work.digest(drive) for drive in drives] == before
    assert work.fstab.read_text() == OLD_FSTAB
    assert not work.runs.exists() or not list(work.runs.iterdir())


def refused(
    work: Work,
    plan: Plan,
    match: str,
    error: type[DiskwrightError] = Refused,
    environment: Environment | None = None,
) -> str:
    """Check that the run is refused with a message that matches, and return the message."""
    with pytest.raises(error, match=match) as caught:
        work.start(plan, environment)
    sentence = str(caught.value)
    assert sentence.endswith(".") and "Traceback" not in sentence
    return sentence


@contextmanager
def held(device: str, how: str) -> Iterator[None]:
    """Open a device in another process."""
    argv = [
        sys.executable,
        "-c",
        f"import fcntl, os, sys; {how}; print('held', flush=True); sys.stdin.read()",
        device,
    ]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        yield
        holder.terminate()


@pytest.fixture
def old(make_drive: MakeDrive) -> str:
    """A drive with an older GPT and a filesystem."""
    drive = make_drive(64 * MIB)
    old_gpt(drive)
    return drive


def test_drive_changed_since_the_plan(work: Work, old: str) -> None:
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    tool("mkfs.ext4", "-q", "-F", "-L", "newer", f"{old}p1")
    with untouched(work, old):
        refused(work, plan, "differs from the plan: ")


def test_partition_added_since_the_plan(work: Work, old: str) -> None:
    plan = work.plan(old, spec("ext4", 20 * MIB), mode=Mode.USE_FREE)
    tool("sh", "-c", f"printf 'start=40MiB,size=4MiB\\n' | sfdisk --quiet --no-reread --append {old} || true")
    with untouched(work, old):
        refused(work, plan, "differs from the plan: ")


@pytest.mark.alone
def test_two_drives_swapped(work: Work, make_drive: MakeDrive) -> None:
    """Swap the names of the plan's drive and another one, like a reboot can."""
    one, two = make_drive(64 * MIB), make_drive(64 * MIB)
    old_gpt(one)
    plan = work.plan(one, spec("ext4"), mode=Mode.REPLACE)
    images = {path: work.bench.image_of(path) for path in (one, two)}
    for path in (one, two):
        forget_partitions(path)
        tool("losetup", "--detach", path)
    tool("losetup", one, str(images[two]))
    tool("losetup", two, str(images[one]))
    work.bench.images.update({one: images[two], two: images[one]})
    with untouched(work, one, two):
        sentence = refused(work, plan, "may be another drive now")
        assert f"The drive is now {two}: make a new plan" in sentence


def test_missing_drive(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(drive, spec("ext4"))
    tool("losetup", "--detach", drive)
    with pytest.raises(
        Refused,
        match=f"The plan's drive is not at {drive}|No medium in {drive}. The drive is not attached",
    ):
        preflight(plan, plan.drive.token, journal_dir=work.runs, environment=work.environment)


def test_mounted_partition(work: Work, old: str) -> None:
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    place = work.place("old")
    place.mkdir(parents=True)
    tool("mount", f"{old}p1", str(place))
    with untouched(work, old):
        refused(work, plan, f"is mounted at {place}")
    tool("umount", str(place))


def test_partition_in_use_as_swap(work: Work, old: str) -> None:
    tool("mkswap", f"{old}p2")
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    tool("swapon", f"{old}p2")
    try:
        with untouched(work, old):
            refused(work, plan, "swap")
    finally:
        tool("swapoff", f"{old}p2")


def test_partition_behind_a_loop_device(work: Work, old: str) -> None:
    """Check that the backing file of the loop device counts as use. The kernel would allow exclusive
    access to both."""
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    loop = tool("losetup", "--find", "--show", f"{old}p2").strip()
    try:
        with untouched(work, old):
            refused(work, plan, f"loop device {loop}")
    finally:
        tool("losetup", "--detach", loop)


def test_partition_in_use_by_another_program(work: Work, old: str) -> None:
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    with held(f"{old}p2", "fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)"), untouched(work, old):
        refused(work, plan, f"{old}p2 is in use")


def test_drive_not_allowed(work: Work, make_drive: MakeDrive) -> None:
    """Check that the demo accepts only its own drive."""
    own, other = make_drive(64 * MIB), make_drive(64 * MIB)
    plan = work.plan(other, spec("ext4"))
    with untouched(work, own, other):
        refused(
            work,
            plan,
            "This run may not touch",
            environment=Environment(work.fstab, frozenset({own})),
        )


def test_plan_with_step_for_another_drive(work: Work, make_drive: MakeDrive) -> None:
    one, two = make_drive(64 * MIB), make_drive(64 * MIB)
    plan, foreign = work.plan(one, spec("ext4")), work.plan(two, spec("ext4"))
    with untouched(work, one, two):
        for index in range(len(plan.steps)):
            steps = (*plan.steps[:index], foreign.steps[index], *plan.steps[index + 1 :])
            refused(work, replace(plan, steps=steps), "is inconsistent", BadInput)


def test_wrong_token(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(drive, spec("ext4"))
    for token in ("", plan.drive.token.upper() + " ", drive, "yes"):
        with untouched(work, drive), pytest.raises(Refused, match=f"--confirm {plan.drive.token}"):
            start_run(plan, token, journal_dir=work.runs, environment=work.environment)


def test_disk_too_full_for_the_journal(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(drive, spec("ext4"))
    small = work.folder / "small"
    small.mkdir()
    tool("mount", "-t", "tmpfs", "-o", "size=1m", "none", str(small))
    try:
        with untouched(work, drive), pytest.raises(Refused, match=r"not enough space for .*--journal DIR"):
            start_run(plan, plan.drive.token, journal_dir=small / "runs", environment=work.environment)
        file = work.folder / "plan.json"
        file.write_text(PLANS.render(plan))
        said = diskwright(
            work,
            "apply",
            str(file),
            "--confirm",
            plan.drive.token,
            "--journal",
            str(small),
            "--fstab",
            str(work.fstab),
        )
        assert said.returncode == 3
        assert "not enough space" in said.stderr and "Nothing was written." in said.stderr
    finally:
        tool("umount", str(small))


def test_mount_point_in_use_or_not_empty(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    place = work.place("media")
    plan = work.plan(drive, spec("ext4", None, place))
    place.mkdir(parents=True)
    (place / "letter").write_text("would be hidden")
    with untouched(work, drive):
        refused(work, plan, "is not empty")
        with pytest.raises(Refused, match="is not empty"):
            machine = probe_machine([drive])
            services = Services(only=[drive], environment=work.environment, journal_dir=work.runs)
            services.plan(machine, machine.drives, NewVolumes((spec("ext4", None, place),), Mode.REPLACE))
    (place / "letter").unlink()
    tool("mount", "-t", "tmpfs", "none", str(place))
    with untouched(work, drive):
        refused(work, plan, f"{place} is in use")
    tool("umount", str(place))
    place.rmdir()
    place.write_text("a file")
    with untouched(work, drive):
        refused(work, plan, "cannot be a mount point")
    place.unlink()
    place.symlink_to("/srv")
    with untouched(work, drive):
        refused(work, plan, "symbolic link")


@pytest.mark.parametrize(
    ("lines", "match", "error"),
    [
        ("LABEL=other {place} ext4 defaults 0 2\n", "line 2 already uses", Refused),
        ("LABEL=other {place}/ ext4 defaults 0 2\n", "line 2 already uses", Refused),
        ("UUID={uuid} /elsewhere ext4 defaults 0 2\n", "line 2 already uses", Refused),
        ("this-is-no-entry\n", "line 2 is not an entry", BadInput),
        ("/dev/x /y ext4 defaults 0 two\n", "line 2 is not an entry", BadInput),
    ],
)
def test_fstab_already_has_an_entry(
    work: Work, make_drive: MakeDrive, lines: str, match: str, error: type[DiskwrightError]
) -> None:
    drive = make_drive(64 * MIB)
    place = work.place("media")
    plan = work.plan(drive, spec("ext4", None, place))
    text = "# mine\n" + lines.format(place=place, uuid=plan.volumes[0].uuid)
    work.fstab.write_text(text)
    before = work.digest(drive)
    refused(work, plan, match, error)
    assert work.fstab.read_text() == text
    assert work.digest(drive) == before


def test_missing_program(work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(drive, spec("ext4"))
    monkeypatch.setattr(
        "wizard.apply.plan.guard.find", lambda name: None if name == "mkfs.ext4" else f"/bin/{name}"
    )
    monkeypatch.setattr("wizard.apply.plan.guard.os_release", lambda: "ID=debian")
    with untouched(work, drive):
        refused(work, plan, "mkfs.ext4 is not installed. Install with `apt install e2fsprogs`.")


def test_run_repeats_the_inspection(work: Work, old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the run detects, under the lock, a change after the first inspection."""
    plan = work.plan(old, spec("ext4"), mode=Mode.REPLACE)
    monkeypatch.setattr("wizard.apply.plan.guard.check_content", lambda *_, **__: None)
    tool("mkfs.ext4", "-q", "-F", "-L", "newer", f"{old}p1")
    before = work.digest(old)
    _, now = work.apply(plan)
    assert now == "refused"
    assert work.digest(old) == before


def test_files_that_are_not_plans(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(drive, spec("ext4"))
    text = PLANS.render(plan)
    folder = work.folder
    cases = {
        "missing.json": None,
        "cut.json": text[: len(text) // 2],
        "edited.json": text.replace('"label": "media"', '"label": "$(reboot)"'),
        "newer.json": text.replace("diskwright.plan/2", "diskwright.plan/9"),
        "older.json": text.replace("diskwright.plan/2", "diskwright.plan/1"),
        "noise.json": "\x1b]0;owned\x07",
        "empty.json": "",
    }
    before = work.digest(drive)
    for name, content in cases.items():
        if content is not None:
            (folder / name).write_text(content)
        said = diskwright(
            work, "apply", str(folder / name), "--confirm", plan.drive.token, "--fstab", str(work.fstab)
        )
        assert said.returncode == 2, name
        assert said.stderr.startswith("diskwright: ") and len(said.stderr.splitlines()) == 1, said.stderr
        assert "\x1b" not in said.stderr and "Traceback" not in said.stderr
    (folder / "binary.json").write_bytes(b"\xff\xfe\x00")
    for path in (folder, folder / "binary.json", Path("/nonexistent/plan.json")):
        assert diskwright(work, "apply", str(path), "--confirm", "x").returncode == 2
    assert work.digest(drive) == before


def test_drive_locked_by_another_program(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    plan = work.plan(drive, spec("ext4"))
    with (
        held(drive, "fd = os.open(sys.argv[1], os.O_RDONLY); fcntl.flock(fd, fcntl.LOCK_EX)"),
        untouched(work, drive),
    ):
        refused(work, plan, "Another program has locked")


@pytest.mark.parametrize(
    ("filesystem", "option"), [("ext4", "foo"), ("ext4", "commit=x"), ("xfs", "logbufs=x")]
)
def test_options_refused_by_the_kernel(
    work: Work, make_drive: MakeDrive, filesystem: str, option: str
) -> None:
    drive = make_drive(320 * MIB)
    plan = work.plan(drive, spec(filesystem, mount_point=work.place("new"), options=("noatime", option)))
    with untouched(work, drive):
        refused(work, plan, option.partition("=")[0])
    assert not work.place("new").exists()


@pytest.mark.parametrize("how", ["files", "link", "mounted", "file", "empty", "missing"])
def test_plan_refuses_the_same_mount_points_as_apply(work: Work, make_drive: MakeDrive, how: str) -> None:
    drive, place, file = make_drive(320 * MIB), work.place("Data"), work.folder / "plan.json"
    place.parent.mkdir(exist_ok=True)
    match how:
        case "files":
            place.mkdir()
            (place / "thesis").touch()
        case "link":
            place.symlink_to(work.folder)
        case "file":
            place.touch()
        case "mounted" | "empty":
            place.mkdir()
    if how == "mounted":
        tool("mount", "-t", "tmpfs", "none", str(place))
    asked = ("--workload", "large-media", "--label", "films", "--mount", str(place))
    done = diskwright(work, "plan", drive, *asked, "-o", str(file))
    if how == "mounted":
        tool("umount", str(place))
    is_fine = how in ("empty", "missing")
    assert done.returncode == (0 if is_fine else 3), done.stderr
    assert file.exists() is is_fine
