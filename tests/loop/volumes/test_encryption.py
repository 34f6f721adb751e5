"""Encrypted volumes up to their activation, which always fails here, because not every kernel supports it.
The lab tests whole runs."""

import os
import pty
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import ROOT, Work, ended, fill, gate, old_gpt, said, spec, stand_in, story, until
from tests.loop.program import (
    MIB,
    PLANS,
    DiskwrightError,
    Event,
    Mode,
    Plan,
    Refused,
    RunState,
    VolumeSpec,
    keep,
    list_runs,
    read_entries,
    undo,
)
from tests.loop.volumes.rebooting import uuid_of
from wizard.apply.run.backup_store import drop_backup
from wizard.apply.system.edited_file import LOADED
from wizard.plan.text import WORD

PASSPHRASE = b"several words that nobody guesses"
OPENING = (
    "case \" $* \" in *' --test-passphrase '*) ;; *' open '*) echo 'Cannot initialize device-mapper.' >&2; "
    "exit 1;; esac"
)
CHEAP = 'case " $* " in *\' luksFormat \'*) set -- "$@" --pbkdf pbkdf2 --pbkdf-force-iterations 1000;; esac'
"""The key is derived at once: what is tested here does not depend on how long that takes."""


def secret_spec(work: Work) -> VolumeSpec:
    one = spec("ext4", None, work.place("private"))
    return VolumeSpec(one.choice, one.workload, None, "private", one.mount_point, encrypted=True)


def half_able(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a kernel with dm-crypt that cannot open containers, and log the arguments of cryptsetup."""
    real = tool("sh", "-c", "PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v cryptsetup").strip()
    seen = work.folder / "seen"
    note = f"{{ echo \"$@\"; env; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; }} >> {seen}"
    stand_in(work.folder / "bin", monkeypatch, "cryptsetup", f'{note}\n{OPENING}\n{CHEAP}\nexec {real} "$@"')
    stand_in(work.folder / "bin", monkeypatch, "modprobe", "exit 0")


def lies_as_planned(plan: Plan, sector_bytes: int) -> bool:
    """Return True if the header, by cryptsetup and libblkid, matches the plan."""
    (container,) = plan.containers
    dump = tool("cryptsetup", "luksDump", "--dump-json-metadata", container.device)
    probed = tool("blkid", "-p", "-o", "export", container.device).splitlines()
    recognised = {"TYPE=crypto_LUKS", f"UUID={container.uuid}"} <= set(probed)
    return recognised and f'"offset":"{16 * MIB}"' in dump and f'"sector_size":{sector_bytes}' in dump


def is_nowhere(work: Work, run: Path) -> bool:
    """Return True if no file of the run and no program argument contains the passphrase."""
    kept = [file for file in (*run.rglob("*"), work.folder / "seen") if file.is_file()]
    assert len(kept) > 4
    return not any(
        PASSPHRASE in file.read_bytes() or PASSPHRASE.hex().encode() in file.read_bytes() for file in kept
    )


@pytest.mark.usefixtures("direct")
def test_container_matches_the_plan_and_passphrase_is_not_saved(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(96 * MIB, 4096)
    plan = work.plan(drive, secret_spec(work))
    half_able(work, monkeypatch)
    with pytest.raises(Refused, match="needs a passphrase"):
        work.start(plan)
    run = work.start(plan, secret=PASSPHRASE)
    assert ended(run) is RunState.FAILED
    last = read_entries(run)[-1].sentence
    assert "Cannot initialize device-mapper." in last, story(run)

    assert lies_as_planned(plan, 4096)
    assert is_nowhere(work, run)
    assert not (work.folder / "crypttab").exists()


def test_core_dump_never_contains_the_passphrase(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check with an unlimited core file size, which the user may have set."""
    plan = work.plan(make_drive(96 * MIB), secret_spec(work))
    half_able(work, monkeypatch)
    opened = work.folder / "opened"
    stand_in(work.folder / "bin", monkeypatch, "wipefs", gate("wipefs", opened))
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    assert hard == resource.RLIM_INFINITY or hard >= MIB, (
        "here no process may leave an image, so nothing is tested"
    )
    resource.setrlimit(resource.RLIMIT_CORE, (MIB, hard))
    try:
        run = work.start(plan, secret=PASSPHRASE)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    until(Path(f"{opened}.reached").exists)
    limits = Path(f"/proc/{(run / 'pid').read_text().strip()}/limits").read_text()
    opened.touch()
    assert ended(run) is RunState.FAILED
    (line,) = [line for line in limits.splitlines() if line.startswith("Max core file size")]
    assert line.split()[4:6] == ["0", "0"]


@pytest.mark.skipif((LOADED / "dm_crypt").exists(), reason="this kernel has dm-crypt at work already")
def test_kernel_without_container_support_prevents_the_start(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = make_drive(64 * MIB)
    plan, before = work.plan(drive, secret_spec(work)), work.digest(drive)
    stand_in(work.folder / "bin", monkeypatch, "modprobe", "exit 1")
    with pytest.raises(Refused, match="dm_crypt is neither built in"):
        work.start(plan, secret=PASSPHRASE)
    assert work.digest(drive) == before


def test_conflicting_crypttab_line_is_reported_in_advance(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = work.plan(make_drive(64 * MIB), secret_spec(work))
    half_able(work, monkeypatch)
    (work.folder / "crypttab").write_text(f"{plan.containers[0].name} /dev/sdx1 none luks\n")
    with pytest.raises(Refused, match=r"line 1 already uses .* for /dev/sdx1"):
        work.start(plan, secret=PASSPHRASE)


def test_fstab_names_the_content_of_the_container(work: Work, make_drive: MakeDrive) -> None:
    """Check swap and a filesystem, created on a substitute drive with the plan's commands."""
    drive, spare = make_drive(160 * MIB), make_drive(64 * MIB)
    swap = replace(spec("swap", 48 * MIB, options=()), mount_point="none", encrypted=True)
    plan = work.plan(drive, swap, secret_spec(work))
    lines = [line for step in plan.steps for line in step.edits if line.startswith("UUID=")]
    assert len(lines) == len(plan.containers) == 2
    work.bench.own(spare)
    for container, line in zip(plan.containers, lines, strict=True):
        (maker,) = (
            argv
            for step in plan.steps
            for argv in step.commands
            if argv[0].startswith("mk") and container.opened in argv
        )
        tool("wipefs", "--all", "--quiet", spare)
        tool(*(spare if word == container.opened else word for word in maker))
        assert line.split()[0] == f"UUID={uuid_of(spare)}" != f"UUID={container.uuid}"
        opening = [one for step in plan.steps for one in step.edits if one.startswith(f"{container.name} ")]
        assert [one.split()[1] for one in opening] == [f"UUID={container.uuid}"]


def test_mapping_name_used_since_is_detected_before_keep(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check a mapping name taken during a long wait. The waiting result is unencrypted, which every kernel
    supports, with the plan of an encrypted one."""
    drive = make_drive(96 * MIB)
    fill(drive, work.bench, 16)
    old_gpt(drive)
    before = work.digest(drive)
    plan = work.plan(drive, replace(secret_spec(work), label="taken-meanwhile"), mode=Mode.REPLACE)
    run, now = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
    assert now is RunState.WAITING, story(run)
    (run / "plan.json").write_text(PLANS.render(plan))
    drop_backup(run)
    waiting = work.digest(drive)
    half_able(work, monkeypatch)
    taken = Path(plan.containers[0].opened)
    taken.parent.mkdir(exist_ok=True)
    taken.symlink_to("/dev/null")
    try:
        with pytest.raises(DiskwrightError, match=str(taken)):
            keep(run, PASSPHRASE)
        assert work.digest(drive) == waiting, "nothing was released"
    finally:
        taken.unlink()
    undo(run)
    assert work.digest(drive) == before


def test_terminal_asks_twice_without_echo(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = work.plan(make_drive(64 * MIB), secret_spec(work))
    half_able(work, monkeypatch)
    said_there, status = on_terminal(work, plan, b"short", b"shirt", PASSPHRASE, PASSPHRASE)
    assert status == 1
    assert said_there.count("Passphrase for") == 2 and said_there.count("Repeat the passphrase:") == 2
    assert "The passphrases do not match." in said_there and "Cannot initialize device-mapper." in said_there
    assert not any(typed in said_there for typed in ("short", "shirt", PASSPHRASE.decode()))
    (run,) = list_runs(work.runs)
    assert said(run, Event.STEP_DONE) and is_nowhere(work, run)
    assert lies_as_planned(plan, 512)


def on_terminal(work: Work, plan: Plan, *typed: bytes) -> tuple[str, int]:
    """Run `apply` on a terminal with these answers. Return the output and exit code."""
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    here, there = pty.openpty()
    words = (
        "apply",
        str(file),
        "--confirm",
        plan.drive.token,
        # This kernel opens no container, on a stand-in no more than on the drive.
        "--confirm",
        WORD,
        "--journal",
        str(work.runs),
        "--fstab",
        str(work.fstab),
    )
    argv = ["setsid", "--ctty", "--wait", sys.executable, "-m", "wizard", *words]
    answers, shown = list(typed), b""
    with subprocess.Popen(argv, cwd=ROOT, stdin=there, stdout=there, stderr=there) as process:
        os.close(there)
        asked = 0
        while True:
            try:
                shown += os.read(here, 4096)
            except OSError:
                break
            questions = shown.count(b"(hidden): ") + shown.count(b"Repeat the passphrase: ")
            if questions > asked and answers:
                asked = questions
                os.write(here, answers.pop(0) + b"\n")
        status = process.wait()
    os.close(here)
    return shown.decode(errors="replace"), status
