"""The script before the one file: what it unpacks for a plain user; in the tree there is only a program."""

import io
import os
import signal
import subprocess
import tarfile
import time
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
[ -z "$SLOW" ] || exec sleep "$SLOW"
printf '#!/bin/sh\\necho "started $* by $DISKWRIGHT_CALLED"\\n' > "$tree/bin/diskwright"
chmod +x "$tree/bin/diskwright"
"""
"""In the place of the loader that starts unsquashfs."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of a name with blanks; `id` in its folder makes whoever starts it a plain user."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tools:
        for name in ("unsquashfs", "ld-linux-x86-64.so.2"):
            entry = tarfile.TarInfo(name)
            entry.mode, entry.size = 0o755, len(UNPACKS)
            tools.addfile(entry, io.BytesIO(UNPACKS.encode()))
    text = STUB.read_text()
    for name, value in {"TOOLS_AT": 4096, "TOOLS_SIZE": packed.tell(), "DIGEST": "d1"}.items():
        text = text.replace(f"@{name}@", str(value))
    made = tmp_path / "disk wright (1).run"
    made.write_bytes(text.replace("@REST_AT@", "0").replace("@REST_SIZE@", "0").encode().ljust(4096, b"\n"))
    with made.open("ab") as end:
        end.write(packed.getvalue())
    (tmp_path / "id").write_text("#!/bin/sh\necho 1234\n")
    (tmp_path / "id").chmod(0o755)
    return made


def started(shell: list[str], file: Path, **more: str) -> subprocess.Popen[str]:
    home = file.parent / "a home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": f"{file.parent}:{os.environ['PATH']}", "HOME": str(home), **more}
    return subprocess.Popen(
        [*shell, str(file), "inspect", "a b"],
        env=environment,
        cwd=file.parent,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def cache(file: Path) -> list[str]:
    return sorted(one.name for one in (file.parent / "a home/.cache/diskwright-1234").iterdir())


@pytest.mark.parametrize("shell", OTHER_SHELLS, ids=lambda shell: Path(shell[0]).name)
@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ended_while_it_unpacks_it_leaves_nothing(shell: list[str], ends: signal.Signals, file: Path) -> None:
    first = started(shell, file, SLOW="30")
    while not (file.parent / "begun").exists():
        assert first.poll() is None
        time.sleep(0.01)
    os.killpg(first.pid, ends)
    first.communicate(timeout=20)
    assert cache(file) == []
    again = started(shell, file)
    assert again.communicate(timeout=20)[0] == f"started inspect a b by {file}\n"
    assert cache(file) == ["d1"]


def test_what_a_killed_start_left_goes_later(file: Path) -> None:
    folder = file.parent / "a home/.cache/diskwright-1234"
    for name, age in (("d1.1", 7200), ("d1.2", 0)):
        (folder / name / "tree").mkdir(parents=True)
        os.utime(folder / name, (time.time() - age,) * 2)
    folder.chmod(0o700)
    started(["/bin/sh"], file).communicate(timeout=20)
    assert cache(file) == ["d1", "d1.2"]


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes what is root's alone")
def test_root_is_told_who_else_decides_what_runs(shell: list[str], file: Path) -> None:
    functions = file.with_name("functions")
    functions.write_text(STUB.read_text().partition('if [ "$(id -u)" = 0 ]')[0] + "tell_if_not_roots\n")

    def said() -> str:
        program = [*shell, str(functions)]
        return subprocess.run(program, capture_output=True, text=True, timeout=20).stderr

    said_first = said()
    functions.chmod(0o666)
    assert f"can change {functions}, " in said() and "/usr/local/bin/diskwright" in said()
    functions.chmod(0o755)
    os.chown(functions.parent, 1234, 1234)
    assert f"can change {functions.parent}, " in said()
    os.chown(functions.parent, 0, 0)
    assert said() == said_first and f"can change {functions}" not in said_first
