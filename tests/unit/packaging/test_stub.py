"""The script at the start of the single-file build, with a tree that contains only a program."""

import io
import os
import signal
import subprocess
import tarfile
import time
from hashlib import sha256
from pathlib import Path

import pytest

from tests.unit.packaging.test_launcher import SHELLS

OTHER_SHELLS = [shell for shell in SHELLS if len(shell) == 1]
"""busybox has an `id` of its own, which cannot be replaced."""

STUB = Path(__file__).resolve().parents[3] / "packaging/bundle/stub.sh"
UNPACKS = """#!/bin/sh
for tree; do case $tree in */tree) break ;; esac; done
mkdir -p "$tree/bin"
: > "$PWD/begun"
[ -z "$FAILS" ] || { echo "$FAILS"; exit 1; }
[ -z "$SLOW" ] || exec sleep "$SLOW"
printf '#!/bin/sh\\necho "started $* by $DISKWRIGHT_CALLED"\\n' > "$tree/bin/diskwright"
chmod +x "$tree/bin/diskwright"
"""
"""Replaces the loader that starts unsquashfs."""

STUB_ROOM = 8192
USER = "diskwright-1234"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Single-file build with spaces in its name. `id` in its folder makes the caller an ordinary user."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tools:
        for name in ("unsquashfs", "ld-linux-x86-64.so.2"):
            entry = tarfile.TarInfo(name)
            entry.mode, entry.size = 0o755, len(UNPACKS)
            tools.addfile(entry, io.BytesIO(UNPACKS.encode()))
    text = STUB.read_text()
    values = {"TOOLS_AT": STUB_ROOM, "TOOLS_SIZE": packed.tell(), "REST_AT": 0, "REST_SIZE": 0}
    for name, value in {**values, "SUM": sha256(packed.getvalue()).hexdigest()}.items():
        text = text.replace(f"@{name}@", str(value))
    # Tests must not unpack to folders of this machine.
    text = text.replace(" /var/tmp /tmp; do", "; do")
    made = tmp_path / "disk wright (1).run"
    made.write_bytes(text.encode().ljust(STUB_ROOM, b"\n") + packed.getvalue())
    made.chmod(0o755)
    (tmp_path / "id").write_text("#!/bin/sh\necho 1234\n")
    (tmp_path / "id").chmod(0o755)
    return made


def started(shell: list[str], file: Path, *words: str, **more: str) -> subprocess.Popen[str]:
    home = file.parent / "a home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": f"{file.parent}:{os.environ['PATH']}", "HOME": str(home), **more}
    return subprocess.Popen(
        [*shell, str(file), *(words or ("inspect", "a b"))],
        env=environment,
        cwd=file.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(*words: str, file: Path, **more: str) -> tuple[int, str, str]:
    """Return the exit code and both outputs."""
    process = started(["/bin/sh"], file, *words, **more)
    said, complaint = process.communicate(timeout=20)
    return process.returncode, said, complaint


def name_of(file: Path) -> str:
    return sha256(file.read_bytes()[STUB_ROOM:]).hexdigest()[:12]


def cache(file: Path) -> list[str]:
    return sorted(one.name for one in (file.parent / "a home/.cache" / USER).iterdir())


@pytest.mark.parametrize("shell", OTHER_SHELLS, ids=lambda shell: Path(shell[0]).name)
@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interruption_while_unpacking_leaves_no_files(
    shell: list[str], ends: signal.Signals, file: Path
) -> None:
    first = started(shell, file, SLOW="30")
    while not (file.parent / "begun").exists():
        assert first.poll() is None
        time.sleep(0.01)
    os.killpg(first.pid, ends)
    first.communicate(timeout=20)
    assert cache(file) == []
    again = started(shell, file)
    assert again.communicate(timeout=20)[0] == f"started inspect a b by {file}\n"
    assert cache(file) == [name_of(file)]


def test_interrupted_starts_and_unused_versions_are_removed(file: Path) -> None:
    folder = file.parent / "a home/.cache" / USER
    for name, age in (("d1.1", 7200), ("d1.2", 0), ("a1b2c3d4e5f6", 0), ("a1b2c3d4used", 0)):
        (folder / name / "tree").mkdir(parents=True)
        os.utime(folder / name, (time.time() - age,) * 2)
    folder.chmod(0o700)
    with subprocess.Popen(
        ["tail", "-f", "/dev/null", folder / "a1b2c3d4used/lib"], stderr=subprocess.DEVNULL
    ) as used:
        ended(file=file)
        used.kill()
    assert cache(file) == sorted(["d1.2", "a1b2c3d4used", name_of(file)])


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_verify_finds_a_changed_byte_and_a_missing_end(shell: list[str], file: Path) -> None:
    def verify() -> tuple[int, bool]:
        process = started(shell, file, "--verify")
        complaint = process.communicate(timeout=20)[1]
        return process.returncode, "damaged or incomplete" in complaint

    whole = file.read_bytes()
    assert verify() == (0, False)
    for damaged in (whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1])):
        file.write_bytes(damaged)
        assert verify() == (1, True)


def test_each_failure_is_reported_with_its_reason(file: Path) -> None:
    code, _, said = ended(file=file, FAILS="No space left on device", XDG_RUNTIME_DIR="/dev/null")
    cached, runtime = said.splitlines()[-2:]
    assert code == 1 and "80 MB" in said and "TMPDIR=" in said
    assert cached == f"    {file.parent}/a home/.cache: No space left on device"
    assert runtime.startswith("    /dev/null: ") and runtime.endswith("Not a directory")
    (file.parent / "uname").write_text("#!/bin/sh\necho Linux aarch64\n")
    (file.parent / "uname").chmod(0o755)
    code, _, said = ended(file=file)
    assert code == 1 and "x86-64 Linux only, not on Linux aarch64" in said
    (file.parent / "uname").unlink()
    file.write_bytes(file.read_bytes()[:-100])
    code, _, said = ended(file=file)
    assert code == 1 and "damaged or incomplete" in said


def test_tmpdir_comes_first(file: Path) -> None:
    place = file.parent / "another place"
    place.mkdir()
    assert ended(file=file, TMPDIR=str(place))[0] == 0
    assert [one.name for one in (place / USER).iterdir()] == [name_of(file)]


@pytest.mark.skipif(os.geteuid() != 0, reason="installing needs root")
def test_install_makes_a_copy_and_uninstall_removes_only_that(file: Path) -> None:
    there = file.parent / "usr/bin/diskwright"
    assert ended("--install", file=file)[0] == 3
    (file.parent / "id").unlink()
    prefix = {"DISKWRIGHT_PREFIX": str(file.parent / "usr")}
    assert ended("--install", file=file, **prefix)[0] == 0
    assert there.read_bytes() == file.read_bytes() and there.stat().st_mode & 0o777 == 0o755
    assert ended("--uninstall", file=there, **prefix)[0] == 0 and not there.exists()
    there.write_text("another program\n")
    ended("--uninstall", file=file, **prefix)
    assert there.exists()


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes what is root's alone")
def test_place_is_open_if_another_user_can_change_a_folder_above(shell: list[str], file: Path) -> None:
    functions = file.with_name("functions")
    functions.write_text(STUB.read_text().partition("# --- Start")[0] + 'open_place "$me"\n')

    def said() -> str:
        program = [*shell, str(functions)]
        return subprocess.run(program, capture_output=True, text=True, timeout=20).stdout

    said_first = said()
    functions.chmod(0o666)
    assert said() == f"{functions}\n"
    functions.chmod(0o755)
    os.chown(functions.parent, 1234, 1234)
    assert said() == f"{functions.parent}\n"
    os.chown(functions.parent, 0, 0)
    assert said() == said_first and str(functions) not in said_first
