"""From an ordinary user's wizard to root and back: the commands run as root, their input, and nothing
else."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import ROOT, Work, ended, gate, spec, stand_in, until
from tests.loop.program import MIB, PLANS, RunState, read_entries, state
from tests.loop.root.rooting import Sudo, as_nobody, require_reach, run_as_nobody
from wizard.apply.privilege.ask import Answer, Ask, RootRequest, Say, as_line
from wizard.apply.privilege.server import Relay
from wizard.documents.codec import from_json


@pytest.fixture
def sudo() -> Iterator[Sudo]:
    """A fake sudo, in a folder readable by ordinary users, like the program's folder."""
    require_reach()
    folder = Path(tempfile.mkdtemp(prefix="diskwright-sudo-"))
    folder.chmod(0o755)
    made = Sudo(folder / "bin")
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder)


@pytest.mark.alone
def test_ordinary_user_applies_without_leaking_the_environment(
    sudo: Sudo, work: Work, make_drive: MakeDrive
) -> None:
    drive = make_drive(96 * MIB)
    trap = sudo.folder.parent / "trap"
    trap.mkdir()
    bite = f"import pathlib; pathlib.Path({str(trap / 'sprung')!r}).touch()\n"
    (trap / "sitecustomize.py").write_text(f"import os\nif os.geteuid() == 0:\n    {bite}")
    (trap / "mkfs.ext4").write_text(f"#!/bin/sh\ntouch {trap}/sprung\n")
    (trap / "mkfs.ext4").chmod(0o755)
    (trap / "mke2fs.conf").write_text("[defaults]\nbase_features = none\ndefault_features = none\n")
    sudo_path = f"{trap}{os.pathsep}{sudo.folder}{os.pathsep}{os.environ['PATH']}"
    changes = {
        "PYTHONPATH": f"{trap}",
        "PATH": sudo_path,
        "MKE2FS_CONFIG": f"{trap}/mke2fs.conf",
        "DISKWRIGHT_STATE": str(trap),
    }
    face = run_as_nobody(sudo, drive, str(work.runs), folder=trap, **changes)
    out, errors = face.communicate(timeout=60)
    assert face.returncode == 0, errors
    before, after, begun, end = map(json.loads, out.splitlines())

    assert before == {"asks": True, "obstacle": "", "table": False}
    assert after == {"asks": False, "table": True, "answered": True, "root": True}
    run = Path(begun["run"])
    told, again = begun["rooms"]
    assert told.startswith("Undo needs ") and f" in {work.runs}; " in told and again == told
    assert run.parent == work.runs and run.stat().st_mode & 0o777 == 0o700 == work.runs.stat().st_mode & 0o777
    assert end["state"] == "done" and end["again"]
    assert end["sentences"] == [entry.sentence for entry in read_entries(run)]
    assert tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p1").strip() == "ext4"
    assert "has_journal" in tool("dumpe2fs", "-h", f"{drive}p1")
    assert not (trap / "sprung").exists()
    assert not (trap / "runs").exists()
    (argv,) = sudo.calls
    assert sudo.environments[0]["PYTHONPATH"] == str(trap), "the stand-in hands on what sudo would not"
    assert "-I" in argv and argv[argv.index("--") + 1] == sys.executable
    assert drive not in " ".join(argv)


def traps_in(folder: Path) -> dict[str, Path]:
    """Create files only root can read, by the variable that points to each, with old access times."""
    places = {
        "PYTHONSTARTUP": "startup.py",
        "PYTHONHOME": f"lib/python3.{sys.version_info.minor}/encodings/__init__.py",
        "BLKID_FILE": "blkid.tab",
        "BLKID_CONF": "blkid.conf",
        "LVM_SYSTEM_DIR": "lvm.conf",
        "E2FSPROGS_CONFIG": "e2fsck.conf",
        "XDG_CONFIG_HOME": "diskwright/workloads/mine.toml",
        "HOME": ".config/diskwright/workloads/mine.toml",
        "CONTROL": "control",
    }
    made = {}
    for variable, name in places.items():
        file = folder / variable / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("this is no such file\n")
        file.chmod(0o600)
        os.utime(file, (0, file.stat().st_mtime))
        made[variable] = file
    return made


def was_read(file: Path) -> bool:
    return file.stat().st_atime > 0


@pytest.mark.alone
def test_environment_passed_by_sudo_does_not_reach_root(
    sudo: Sudo, work: Work, make_drive: MakeDrive
) -> None:
    """Check the most permissive sudoers. LD_PRELOAD is excluded: the loader handles it first, and a setuid
    sudo never passes it on."""
    drive = make_drive(96 * MIB)
    traps = traps_in(sudo.folder.parent)
    traps["CONTROL"].read_text()
    if not was_read(traps["CONTROL"]):
        pytest.skip("whether a file was read is not kept here")
    target = sudo.folder.parent / "target"
    target.mkdir(mode=0o777)
    (sudo.folder.parent / "tmp").symlink_to(target)
    sudo.adds |= {
        "PYTHONSTARTUP": str(traps["PYTHONSTARTUP"]),
        "PYTHONHOME": str(sudo.folder.parent / "PYTHONHOME"),
        "PYTHONINSPECT": "1",
        "BLKID_FILE": str(traps["BLKID_FILE"]),
        "BLKID_CONF": str(traps["BLKID_CONF"]),
        "LIBBLKID_DEBUG": "all",
        "LIBMOUNT_DEBUG": "all",
        "LVM_SYSTEM_DIR": str(traps["LVM_SYSTEM_DIR"].parent),
        "E2FSPROGS_UNDO_DIR": str(target),
        "MKE2FS_DEVICE_SECTSIZE": "4096",
        "XDG_CONFIG_HOME": str(sudo.folder.parent / "XDG_CONFIG_HOME"),
        "HOME": str(sudo.folder.parent / "HOME"),
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "de_DE.UTF-8",
        "LANGUAGE": "de",
        "TMPDIR": str(sudo.folder.parent / "tmp"),
        "DISKWRIGHT_STATE": str(target),
        "DISKWRIGHT_DEBUG": str(target / "log"),
        "DISKWRIGHT_PROFILES": str(target),
    }
    face = run_as_nobody(sudo, drive, str(work.runs), folder=sudo.folder.parent)
    out, errors = face.communicate(timeout=60)
    end = json.loads(out.splitlines()[-1])
    assert end.get("state") == "done", f"{end}\n{errors}\n{sudo.errors.read_text()}"
    assert [name for name, file in traps.items() if was_read(file)] == ["CONTROL"]
    assert not list(target.iterdir())
    assert "libblkid:" not in sudo.errors.read_text() and "libmount:" not in sudo.errors.read_text()
    assert tool("blkid", "-p", "-o", "value", "-s", "TYPE", f"{drive}p1").strip() == "ext4"


def test_denied_root_access_leaves_the_drive_unchanged(sudo: Sudo, work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    before = work.digest(drive)
    sudo.refuses = True
    out, errors = run_as_nobody(sudo, drive, str(work.runs), folder=sudo.folder).communicate(timeout=60)
    said = json.loads(out.splitlines()[-1])
    assert said == {
        "error": "Refused",
        "sentence": "Root access was not granted: sudo ended with status 1. Nothing was written.",
        "asks": True,
    }, errors
    assert work.digest(drive) == before and not work.runs.exists()


@pytest.mark.alone
def test_root_checks_its_input(sudo: Sudo, work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(96 * MIB)
    before = work.digest(drive)
    out, errors = run_as_nobody(sudo, drive, str(work.runs), "another", folder=sudo.folder).communicate(
        timeout=60
    )
    said = json.loads(out.splitlines()[-1])
    assert said["error"] == "Refused" and "'another' does not match" in said["sentence"], errors
    assert work.digest(drive) == before and not work.runs.exists()


@pytest.mark.alone
def test_run_continues_after_its_interface_is_killed(sudo: Sudo, work: Work, make_drive: MakeDrive) -> None:
    face = run_as_nobody(sudo, make_drive(96 * MIB), str(work.runs), folder=sudo.folder)
    assert face.stdout is not None and face.stderr is not None
    run = next(Path(seen["run"]) for seen in map(json.loads, face.stdout) if "run" in seen)
    face.send_signal(signal.SIGKILL)
    face.wait(timeout=20)
    assert ended(run) is RunState.DONE
    face.stdout.close()
    face.stderr.close()


def test_stop_request_works_while_the_run_is_reported(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = work.plan(make_drive(96 * MIB), spec("ext4", 32 * MIB), spec("ext4"))
    opened = work.folder / "mkfs"
    stand_in(work.folder / "bin", monkeypatch, "mkfs.ext4", gate("mkfs.ext4", opened))
    to_root, from_root = os.pipe(), os.pipe()
    relay = Relay(os.fdopen(to_root[0], "rb"), os.fdopen(from_root[1], "wb"))
    thread = threading.Thread(target=relay.serve)
    thread.start()
    with os.fdopen(to_root[1], "wb", 0) as ask, os.fdopen(from_root[0], "rb") as told:

        def heard() -> Answer:
            return from_json(json.loads(told.readline()), Answer, "root")

        assert heard().say is Say.ROOT
        ask.write(
            as_line(
                RootRequest(
                    Ask.APPLY,
                    plan=PLANS.render(plan).replace("ext4", "ext3", 1),
                    tokens=plan.tokens,
                    journal=str(work.runs),
                )
            )
        )
        refused = heard()
        assert refused.say is Say.REFUSED and "digest" in refused.sentence
        ask.write(
            as_line(
                RootRequest(Ask.APPLY, plan=PLANS.render(plan), tokens=plan.tokens, journal=str(work.runs))
            )
        )
        begun = heard()
        assert begun.say is Say.BEGAN, begun
        until(Path(f"{opened}.reached").exists)
        ask.write(as_line(RootRequest(Ask.STOP)))
        until((Path(begun.run) / "stop").exists)
        opened.touch()
        answers = [heard()]
        while answers[-1].say is not Say.ENDED:
            answers.append(heard())
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert answers[-1].state is state(Path(begun.run)) is RunState.STOPPED
    assert [answer.entry for answer in answers if answer.say is Say.ENTRY] == list(
        read_entries(Path(begun.run))
    )


def test_command_of_an_ordinary_user_is_refused_with_the_one_for_root(
    sudo: Sudo, work: Work, make_drive: MakeDrive
) -> None:
    plan = work.plan(make_drive(96 * MIB), spec("ext4"))
    file = sudo.folder / "a plan.json"
    file.write_text(PLANS.render(plan))
    words = ["apply", str(file), "--confirm", plan.drive.token, "--journal", "/media/stick"]
    done = subprocess.run(
        [*as_nobody(), "-m", "wizard", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    said = shlex.split(done.stderr.rpartition("as root:")[2])
    assert said == ["sudo", "diskwright", *words], done.stderr
    wrong = subprocess.run(
        [*as_nobody(), "-m", "wizard", *words[:3], "another"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert wrong.returncode == 3 and "does not match" in wrong.stderr and "as root" not in wrong.stderr
