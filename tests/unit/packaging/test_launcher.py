"""The launcher, with package managers that only note what they were asked to do."""

import os
import pty
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
LAUNCHER = REPO / "diskwright"
BUSYBOX = shutil.which("busybox")
SHELLS = [[shell] for shell in ("/bin/dash", "/bin/bash") if Path(shell).exists()] + (
    [[BUSYBOX, "sh"]] if BUSYBOX else []
)
BORROWED = (
    *(
        "awk",
        "cat",
        "cut",
        "dirname",
        "du",
        "echo",
        "env",
        "find",
        "flock",
        "grep",
        "head",
        "mkdir",
        "printf",
        "readlink",
        "rm",
        "sed",
        "sha256sum",
    ),
    *("sh", "sleep", "sort", "tail", "tr", "wc", "xargs"),
)
NEEDED = (
    "sfdisk",
    "losetup",
    "mount",
    "partx",
    "wipefs",
    "mke2fs",
    "mkfs.xfs",
    "mkfs.btrfs",
    "smartctl",
    "parted",
)
COSTS = {
    "apt-get": (
        "Need to get 60.1 MB of archives.\\nAfter this operation, 241 MB of additional disk space will be "
        "used.\\n"
    ),
    "dnf": "Total download size: 60 M\\nInstalled size: 241 M\\n",
    "pacman": "Total Download Size:  60.10 MiB\\nTotal Installed Size:  241.00 MiB\\n",
}
QUESTIONS = {"apt-get": "--print-uris", "dnf": "--assumeno"}


def venv_name() -> str:
    digest = sha256((REPO / "requirements.lock").read_bytes()).hexdigest()
    return f"venv-{digest[:12]}-{Path('/usr/bin/python3').resolve().name}"


@dataclass
class Bench:
    """A PATH of our own with a stub for the package manager, and a folder that stands for
    /var/lib/diskwright."""

    folder: Path
    manager: str = "apt-get"
    user: int = 0
    install_fails: bool = False
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bin = self.folder / "bin"
        self.state = self.folder / "state"
        self.log = self.folder / "asked"
        self.bin.mkdir()
        self.log.touch()
        for name in BORROWED:
            if found := shutil.which(name):
                (self.bin / name).symlink_to(found)
        self.stub("id", f"echo {self.user}")
        refusal = "exit 1" if self.install_fails else "exit 0"
        self.stub(
            self.manager, f'echo "{self.manager} $*" >> {self.log}\nprintf "{COSTS[self.manager]}"\n{refusal}'
        )
        for name in ("dpkg-query", *NEEDED):
            self.stub(name, "exit 0")
        python = self.state / venv_name() / "bin/python"
        python.parent.mkdir(parents=True)
        python.write_text(
            '#!/bin/sh\necho "$PYTHONPATH|$PYTHONSAFEPATH|$PYTHONNOUSERSITE|$PYTHONDONTWRITEBYTECODE" >> '
            f'{self.log}\nprintf "<%s>" "$@"\n'
        )
        python.chmod(0o755)
        self.complete.touch()

    @property
    def complete(self) -> Path:
        return self.state / venv_name() / "complete"

    def stub(self, name: str, body: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def settings(self, extra: str = "nonesuch") -> Mapping[str, str]:
        return {
            "PATH": str(self.bin),
            "HOME": str(self.folder),
            "DISKWRIGHT_SETUP": str(self.state),
            "DISKWRIGHT_EXTRA_PACKAGES": extra,
            **self.environment,
        }

    def run(
        self, *words: str, extra: str = "nonesuch", shell: tuple[str, ...] = (), launcher: Path = LAUNCHER
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*shell, str(launcher), *words],
            env=dict(self.settings(extra)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def answer(self, text: str, *words: str) -> tuple[int, str]:
        """Run it on a terminal and answer its question."""
        pid, master = pty.fork()
        if not pid:
            os.execve(str(LAUNCHER), [str(LAUNCHER), *words], dict(self.settings()))
        os.write(master, text.encode())
        said = b""
        try:
            while data := os.read(master, 4096):
                said += data
        except OSError:
            pass
        os.close(master)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()

    def asked(self) -> list[str]:
        return self.log.read_text().splitlines()

    def installs(self) -> list[str]:
        """What was to be installed for real: without the runs that only ask for the cost."""
        real = {
            "apt-get": "apt-get install -y",
            "dnf": "dnf install -y",
            "pacman": "pacman -S --needed --noconfirm",
        }
        return [line for line in self.asked() if line.startswith(real[self.manager])]


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_a_complete_environment_is_started_without_asking_anything(tmp_path: Path, shell: list[str]) -> None:
    bench = Bench(tmp_path)
    done = bench.run("inspect", "a b", "$(reboot)", "'\"", shell=tuple(shell))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "<-m><wizard><inspect><a b><$(reboot)><'\"><>"[:-2]
    assert bench.asked() == [f"{REPO}|1|1|"]


def test_it_finds_itself_behind_links_ignores_the_current_folder_and_keeps_what_it_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    bench.environment |= {"PYTHONPATH": "/somewhere/else", "PYTHONDONTWRITEBYTECODE": "1"}
    (tmp_path / "one").symlink_to(LAUNCHER)
    (tmp_path / "two").symlink_to("one")
    monkeypatch.chdir(tmp_path)
    done = bench.run("--version", launcher=tmp_path / "two")
    assert done.stdout == "<-m><wizard><--version>"
    assert bench.asked() == [f"{REPO}|1|1|"]


def test_a_folder_for_runs_brings_no_second_environment(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.environment["DISKWRIGHT_STATE"] = str(tmp_path / "runs")
    done = bench.run("inspect")
    assert (done.returncode, done.stdout) == (0, "<-m><wizard><inspect>"), done.stderr
    assert bench.asked() == [f"{REPO}|1|1|"] and not bench.installs()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights that somebody could take")
@pytest.mark.parametrize("variable", ["DISKWRIGHT_STATE", "DISKWRIGHT_SETUP"])
def test_root_uses_no_folder_that_others_can_change(tmp_path: Path, variable: str) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 12345, 12345)
    bench.environment[variable] = str(tmp_path / "theirs")
    done = bench.run("inspect")
    assert done.returncode == 3 and variable in done.stderr
    assert bench.asked() == []


def test_help_needs_no_environment(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.complete.unlink()
    done = bench.run("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: diskwright")
    assert bench.asked() == []


def test_without_a_terminal_only_the_demo_sets_up_by_itself(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.complete.unlink()
    done = bench.run("inspect")
    assert done.returncode == 3
    assert "Nothing was installed" in done.stderr and "DISKWRIGHT_YES=1" in done.stderr
    assert not bench.installs()


@pytest.mark.parametrize("manager", COSTS)
def test_it_says_what_the_manager_says_it_costs_before_it_installs(tmp_path: Path, manager: str) -> None:
    bench = Bench(tmp_path, manager)
    done = bench.run("--setup-only", extra="nonesuch another")
    assert done.returncode == 0, done.stderr
    assert "another" in done.stderr and "nonesuch" in done.stderr
    assert re.search(r"60(\.10?)? M", done.stderr) and re.search(r"241(\.00)? M", done.stderr)
    assert len(bench.installs()) == 1
    assert bench.installs()[0].endswith("another nonesuch")
    if question := QUESTIONS.get(manager):
        first = next(index for index, line in enumerate(bench.asked()) if question in line)
        assert first < bench.asked().index(bench.installs()[0])
    assert done.stdout.strip() == str(bench.state / venv_name())


@pytest.mark.parametrize("text", ["\n", "n\n", "x\n", "\x04"])
def test_no_is_the_default(tmp_path: Path, text: str) -> None:
    bench = Bench(tmp_path)
    code, said = bench.answer(text, "--setup-only")
    assert code == 3
    assert "[y/N]" in said and "Nothing was installed." in said
    assert not bench.installs()


def test_a_yes_installs(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    code, said = bench.answer("y\n", "--setup-only")
    assert code == 0, said
    assert len(bench.installs()) == 1


def test_a_plain_user_is_told_the_command(tmp_path: Path) -> None:
    bench = Bench(tmp_path, user=1000)
    done = bench.run("--setup-only")
    assert done.returncode == 3
    assert f"sudo {LAUNCHER} --setup-only" in done.stderr
    assert bench.asked() == []


def test_a_failing_manager_is_quoted_and_ends_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, install_fails=True)
    done = bench.run("--setup-only")
    assert done.returncode == 1
    assert "apt-get could not install nonesuch" in done.stderr
    assert str(bench.state / "setup.log") in done.stderr


def test_two_at_once_wait_for_each_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.stub("apt-get", f'echo "begin $*" >> {bench.log}\nsleep 1\necho end >> {bench.log}')
    both = [
        subprocess.Popen(
            [LAUNCHER, "--setup-only"],
            env=dict(bench.settings()),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum("waiting for it" in text for text in said) == 1
    assert [line.split()[0] for line in bench.asked()] == ["begin", "end"] * (len(bench.asked()) // 2)


def test_no_index_or_mirror_is_named() -> None:
    """Where packages come from is the environment's business: its package manager's and pip's own
    settings."""
    for path in (
        LAUNCHER,
        REPO / "requirements.lock",
        REPO / "tests/requirements.lock",
        REPO / "tests/run",
        REPO / "tests/fresh/run",
    ):
        text = path.read_text()
        assert "://" not in text, f"{path.name} names a host"
        assert "index-url " not in text, f"{path.name} names an index"


def test_both_lock_files_pin_the_same_versions_by_hash() -> None:
    own, tests = (pins(REPO / name) for name in ("requirements.lock", "tests/requirements.lock"))
    assert own and {name: tests.get(name) for name in own} == own


def pins(path: Path) -> dict[str, str]:
    """Package and version of a lock file, each of which must carry a hash."""
    found: dict[str, str] = {}
    for block in re.split(r"\n(?=\w)", path.read_text()):
        match = re.match(r"([\w.-]+)==(\S+)", block)
        assert match and "--hash=sha256:" in block, f"{path.name}: {block[:40]!r} is not pinned by hash"
        found[match[1]] = match[2]
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights that somebody could take")
def test_root_is_told_who_else_can_change_what_it_runs_and_has_a_copy_of_its_own(tmp_path: Path) -> None:
    checkout, prefix = tmp_path / "checkout", tmp_path / "prefix"
    checkout.mkdir()
    for part in ("diskwright", "wizard", "profiles", "requirements.lock", "README.md", "LICENSE"):
        tool = shutil.copytree if (REPO / part).is_dir() else shutil.copy
        tool(REPO / part, checkout / part)
    os.chown(checkout / "wizard", 12345, 12345)
    (checkout / "wizard" / "__pycache__").mkdir(exist_ok=True)

    def run(launcher: Path, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "DISKWRIGHT_PREFIX": str(prefix)}
        return subprocess.run(
            [launcher, *words], env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    told = run(checkout / "diskwright", "glossary")
    assert f"Not only root can change {checkout}/wizard" in told.stderr and "--install" in told.stderr
    assert told.returncode == 0
    assert run(checkout / "diskwright", "--install").returncode == 0
    copy = prefix / "lib/diskwright"
    assert {file.stat().st_uid for file in copy.rglob("*")} == {0} and not [*copy.rglob("__pycache__")]
    assert not any(file.stat().st_mode & 0o022 for file in copy.rglob("*"))
    again = run(prefix / "bin/diskwright", "glossary")
    assert (again.returncode, again.stdout) == (0, told.stdout) and "Not only root" not in again.stderr
    # A second time puts the new in the place of the old.
    (copy / "wizard" / "old.py").touch()
    assert run(checkout / "diskwright", "--install").returncode == 0
    assert not (copy / "wizard" / "old.py").exists()
    assert run(prefix / "bin/diskwright", "--uninstall").returncode == 0
    assert not copy.exists() and not (prefix / "bin/diskwright").is_symlink()
    assert "There is no copy" in run(checkout / "diskwright", "--uninstall").stderr


def test_nothing_is_set_up_that_nothing_uses() -> None:
    """Every package that is named is imported."""
    named = {
        re.split(r"[=>]", one)[0]
        for one in tomllib.loads((REPO / "pyproject.toml").read_text())["project"]["dependencies"]
    }
    sources = "\n".join(path.read_text() for path in (REPO / "wizard").rglob("*.py"))
    unused = {name for name in named if not re.search(rf"^\s*(import|from) {name}\b", sources, re.MULTILINE)}
    assert named and not unused
