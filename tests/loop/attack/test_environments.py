"""Commands in odd environments from sudo, cron, services or broken shells. A plan is applied and undone
bit for bit, or refused with a message, and then finishes in a normal environment."""

import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.daily import DAY, IS_FULL
from tests.devices import MakeDrive
from tests.loop.applying import ROOT, Work, command_to_apply, diskwright, fill, old_gpt, spec, story, until
from tests.loop.program import MIB, PLANS, ExitCode, Mode, RunState, is_locked, state

CASES = 100 if IS_FULL else 3
NOWHERE = "/nonexistent"
VALUES: dict[str, tuple[str | None, ...]] = {
    "SUDO_USER": ("root", "nobody-here", "-1", "a\nb", "x" * 5000, ""),
    "SUDO_UID": ("abc", "-1", "0", "99999999999999", ""),
    "SUDO_GID": ("abc", "-1", "99999999999999"),
    "SUDO_COMMAND": ("\x1b[2J" * 100,),
    "HOME": ("", NOWHERE, "relative", "/dev/null", None),
    "USER": ("", None, "x" * 5000),
    "XDG_CONFIG_HOME": (NOWHERE, "relative", "/proc", "/dev/null"),
    "XDG_DATA_HOME": (NOWHERE, "relative", "/proc"),
    "XDG_CACHE_HOME": (NOWHERE, "relative", "/proc"),
    "XDG_STATE_HOME": (NOWHERE, "relative", "/proc"),
    "XDG_RUNTIME_DIR": (NOWHERE, "relative", "/proc"),
    "PYTHONHOME": (NOWHERE,),
    "PYTHONPATH": (NOWHERE, ".", "TRAP"),
    "PYTHONWARNINGS": ("error",),
    "PYTHONOPTIMIZE": ("2",),
    "PYTHONINSPECT": ("1",),
    "PYTHONIOENCODING": ("ascii", "nonsense", "utf-16"),
    "PYTHONUTF8": ("0", "nonsense"),
    "PYTHONCOERCECLOCALE": ("0",),
    "PYTHONSTARTUP": ("TRAP/sitecustomize.py",),
    "PYTHONPYCACHEPREFIX": (NOWHERE, "TRAP", "relative"),
    "PYTHONMALLOC": ("malloc",),
    "PATH": ("", ".", "/usr/bin:/bin", "TRAP:/usr/bin:/bin", "relative:/usr/bin:/bin"),
    "TMPDIR": (NOWHERE, "relative", "/proc", "/dev/full", ""),
    "LANG": ("tr_TR.UTF-8", "xx_YY", "de_DE.UTF-8", "\x80"),
    "LC_ALL": ("C", "POSIX", "xx_YY.nonsense"),
    "LANGUAGE": ("de:fr:xx", "../../etc"),
    "COLUMNS": ("0", "-1", "abc", "99999999"),
    "TERM": ("", "nonsense", None),
    "TZ": (":/dev/null", "Nonsense/Zone", "XXX99999", ""),
    "DISKWRIGHT_PLACES": ("relative", "/proc", NOWHERE),
    "DISKWRIGHT_CALLED": ("x", "\x1b[2J"),
    "DISKWRIGHT_DEBUG_LOG": (NOWHERE, "/dev/full"),
    "DISKWRIGHT_THEME": ("nonsense",),
    "LD_LIBRARY_PATH": (NOWHERE, "TRAP"),
    "LD_PRELOAD": (NOWHERE,),
    "LD_BIND_NOW": ("1",),
    "MKE2FS_CONFIG": ("TRAP/mke2fs.conf",),
    "MKE2FS_FIRST_META_BG": ("1",),
    "MKE2FS_DEVICE_SECTSIZE": ("4096",),
    "E2FSPROGS_UNDO_DIR": ("TRAP", NOWHERE),
    "LIBMOUNT_FSTAB": ("/dev/null",),
    "LIBBLKID_DEBUG": ("all",),
    "BLKID_FILE": ("TRAP/blkid",),
    "POSIXLY_CORRECT": ("1",),
    "MALLOC_PERTURB_": ("165",),
    "IFS": ("/",),
    "BASH_ENV": ("TRAP/sh",),
    "ENV": ("TRAP/sh",),
    "CDPATH": ("/proc",),
    "GCONV_PATH": ("TRAP",),
}


def _limited(what: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(what, (value, value))


def _ignoring(number: int) -> Callable[[], None]:
    def ignore() -> None:
        signal.signal(number, signal.SIG_IGN)

    return ignore


def _closing(*numbers: int) -> Callable[[], None]:
    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


def _gone() -> None:
    folder = f"/tmp/diskwright-gone-{os.getpid()}"
    os.mkdir(folder)  # noqa: PTH102 - in a forked child
    os.chdir(folder)
    os.rmdir(folder)  # noqa: PTH106


def _blocked() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD})


def _masked(mask: int) -> Callable[[], None]:
    def mask_it() -> None:
        os.umask(mask)

    return mask_it


SURROUNDINGS: dict[str, Callable[[], None]] = {
    "umask 000": _masked(0o000),
    "umask 777": _masked(0o777),
    "no stdin": _closing(0),
    "no stdout": _closing(1),
    "no streams": _closing(0, 1, 2),
    "files of 1 MiB": _limited(resource.RLIMIT_FSIZE, MIB),
    "files of 0 bytes": _limited(resource.RLIMIT_FSIZE, 0),
    "20 open files": _limited(resource.RLIMIT_NOFILE, 20),
    "40 open files": _limited(resource.RLIMIT_NOFILE, 40),
    "300 MiB of addresses": _limited(resource.RLIMIT_AS, 300 * MIB),
    "stack of 256 KiB": _limited(resource.RLIMIT_STACK, MIB // 4),
    "no locked memory": _limited(resource.RLIMIT_MEMLOCK, 0),
    "folder gone": _gone,
    "root folder": lambda: os.chdir("/"),
    "SIGHUP ignored": _ignoring(signal.SIGHUP),
    "SIGPIPE ignored": _ignoring(signal.SIGPIPE),
    "SIGCHLD ignored": _ignoring(signal.SIGCHLD),
    "SIGTERM ignored": _ignoring(signal.SIGTERM),
    "SIGXFSZ default": lambda: None,
    "signals blocked": _blocked,
}
ALWAYS_ENDS = {"no streams", "files of 1 MiB", "files of 0 bytes", "20 open files", "300 MiB of addresses"}
"""Those that may end the launcher before it can say anything."""


def traps_in(folder: Path) -> Path:
    """Create hostile programs and files, and return the file that they write when used."""
    folder.mkdir()
    sprung = folder / "sprung"
    for name in ("mkfs.ext4", "wipefs", "sh", "losetup", "sfdisk"):
        (folder / name).write_text(f"#!/bin/bash\necho {name} >>{sprung}\nexit 1\n")
        (folder / name).chmod(0o755)
    (folder / "sitecustomize.py").write_text(f"open({str(sprung)!r}, 'a').write('python')\n")
    (folder / "mke2fs.conf").write_text("[defaults]\nbase_features = none\ndefault_features = none\n")
    return sprung


def given(words: list[str], environment: dict[str, str], around: list[str]) -> tuple[int, str]:
    """Run the installed command. Return the exit code and output."""

    def surround() -> None:
        for name in around:
            SURROUNDINGS[name]()

    done = subprocess.run(
        [str(ROOT / "diskwright"), *words],
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        preexec_fn=surround,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize("seed", range(DAY * CASES, (DAY + 1) * CASES))
def test_command_succeeds_or_ends_with_a_message(seed: int, work: Work, make_drive: MakeDrive) -> None:
    dice = Random(seed)
    drive = make_drive(96 * MIB)
    fill(drive, work.bench, 4)
    old_gpt(drive)
    before = work.digest(drive)
    trap = work.folder / "trap"
    sprung = traps_in(trap)
    plan, file = work.plan(drive, spec("ext4"), mode=Mode.REPLACE), work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    environment = dict(os.environ)
    for name in dice.sample(sorted(VALUES), dice.choice((0, 1, 2, 5))):
        value = dice.choice(VALUES[name])
        environment.pop(name, None)
        if value is not None:
            environment[name] = value.replace("TRAP", str(trap))
    around = dice.sample(sorted(SURROUNDINGS), dice.choice((0, 1, 1, 2)))
    apply = ["apply", str(file), f"--confirm={plan.drive.token}", f"--fstab={work.fstab}"]
    told = []
    for words in (apply, ["undo"]):
        code, said = given([*words, f"--journal={work.runs}"], environment, around)
        told.append(f"{words[0]}: {code}: {said[-1500:]}")
        odd = {key: value for key, value in environment.items() if os.environ.get(key) != value}
        where = f"seed {seed}: {odd!s:.900}, {around}\n" + "\n".join(told)
        assert "Traceback" not in said or code < 0, where
        assert code in range(5) or ALWAYS_ENDS & {*around} or "PYTHONHOME" in odd, where
        assert "TRAP" not in odd.get("PATH", "") or sprung.exists() or code in range(5), where
    run = max(work.runs.glob("0*"), default=None)
    if run is not None:
        until(lambda: not is_locked(run))
        log = run / "process.log"
        assert not log.exists() or "Traceback" not in log.read_text() or ALWAYS_ENDS & {*around}, (
            f"{where}\n{log.read_text()[-2000:]}"
        )
        for command in ("resume", "undo", "undo"):
            if state(run) is not RunState.UNDONE:
                told.append(diskwright(work, command, str(run)).stderr)
        assert state(run) is RunState.UNDONE, f"{where}\n{told}\n{story(run)}"
    assert work.digest(drive) == before, where


@pytest.mark.parametrize(("status", "wanted"), ((0, ExitCode.DONE), (4, ExitCode.FAILED)))
def test_exit_statuses_are_known_with_sigchld_ignored(
    status: int, wanted: ExitCode, work: Work, make_drive: MakeDrive
) -> None:
    """Check exit statuses with SIGCHLD ignored: the kernel drops them then, and Python reports success."""
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    before = work.digest(drive)
    argv = command_to_apply(work, work.plan(drive, spec("ext4"), mode=Mode.REPLACE))
    folder = work.folder / "bin"
    folder.mkdir()
    (folder / "e2fsck").write_text(f"#!/bin/sh\nexit {status}\n")
    (folder / "e2fsck").chmod(0o755)
    done = subprocess.run(
        [*argv, f"--journal={work.runs}"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=_ignoring(signal.SIGCHLD),
        check=False,
    )
    assert done.returncode == wanted, done.stderr
    assert ("e2fsck" in done.stderr.splitlines()[-1]) == bool(status), done.stderr
    assert (work.digest(drive) == before) == bool(status)
