"""Test the launcher with package managers that only log their arguments."""

import os
import pty
import re
import select
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from wizard import __version__

REPO = Path(__file__).resolve().parents[3]
LAUNCHER = REPO / "diskwright"
BUSYBOX = shutil.which("busybox")
SHELLS = [[shell] for shell in ("/bin/dash", "/bin/bash") if Path(shell).exists()] + (
    [[BUSYBOX, "sh"]] if BUSYBOX else []
)
BORROWED = """
awk cat cut dirname du echo env find flock grep head ln mkdir printf readlink rm rmdir sed sha256sum sh
sleep sort tail tr wc xargs
"""
NEEDED = "sfdisk losetup mount partx wipefs mke2fs mkfs.xfs mkfs.btrfs smartctl parted"
COSTS = {
    "apt-get": (
        "Need to get 60.1 MB of archives.\\nAfter this operation, 241 MB of additional disk space will be "
        "used.\\n"
    ),
    "dnf": "Total download size: 60 M\\nInstalled size: 241 M\\n",
    "pacman": "Total Download Size:  60.10 MiB\\nTotal Installed Size:  241.00 MiB\\n",
}
QUESTIONS = {"apt-get": "--print-uris", "dnf": "--assumeno"}
READ_ONLY = "/sys/kernel"
"""A folder in which nobody can create anything, not even root."""

ONE_FILE = f"use the one file diskwright-{__version__}-x86_64.run instead"
NO_PYTHON = "exit 1"
OLD_PYTHON = 'case "$*" in *print*) echo 3.9 ;; *) exit 1 ;; esac'
NEW_PYTHON = """case "$*" in
    *"pip --quiet"*) echo "$PIP_SAYS"; exit 1 ;;
    "-m venv"*) mkdir -p "$4/bin"; ln -s "$0" "$4/bin/python" ;;
    *print*) echo 3.12 ;;
esac"""
"""A Python with libparted's binding, and a pip that fails with a message."""


def venv_name() -> str:
    digest = sha256((REPO / "requirements.lock").read_bytes()).hexdigest()
    return f"venv-{digest[:12]}-{Path('/usr/bin/python3').resolve().name}"


@dataclass
class Bench:
    """A PATH with a stub package manager, and a folder instead of /var/lib/diskwright."""

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
        for name in BORROWED.split():
            if found := shutil.which(name):
                (self.bin / name).symlink_to(found)
        self.stub("id", f"echo {self.user}")
        self.stub("uname", "echo x86_64")
        refusal = "exit 1" if self.install_fails else "exit 0"
        self.stub(
            self.manager, f'echo "{self.manager} $*" >> {self.log}\nprintf "{COSTS[self.manager]}"\n{refusal}'
        )
        for name in ("dpkg-query", *NEEDED.split()):
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

    def without_environment(self, **pythons: str) -> Path:
        """Return a launcher that finds only these Python stubs, and no environment."""
        for name, body in pythons.items():
            self.stub(name, body)
        self.complete.unlink()
        checkout = self.folder / "checkout"
        checkout.mkdir()
        for part in ("wizard", "requirements.lock"):
            (checkout / part).symlink_to(REPO / part)
        launcher = checkout / "diskwright"
        launcher.write_text(LAUNCHER.read_text().replace("/usr/bin/", f"{self.bin}/"))
        launcher.chmod(0o755)
        return launcher

    def answer(self, text: str, *words: str) -> tuple[int, str]:
        """Answer the launcher's question on a terminal, kept open so that no output is lost."""
        master, terminal = pty.openpty()
        process = subprocess.Popen(
            [LAUNCHER, *words], env=self.settings(), stdin=terminal, stdout=terminal, stderr=terminal
        )
        os.write(master, text.encode())
        said = b""
        while True:
            ended = process.poll() is not None
            if select.select([master], [], [], 0.5)[0]:
                said += os.read(master, 4096)
            elif ended:
                break
        os.close(master)
        os.close(terminal)
        return process.wait(), said.decode()

    def asked(self) -> list[str]:
        return self.log.read_text().splitlines()

    def installs(self) -> list[str]:
        """Return the commands that install packages, without those that compute sizes."""
        real = {
            "apt-get": "apt-get install -y",
            "dnf": "dnf install -y",
            "pacman": "pacman -S --needed --noconfirm",
        }
        return [line for line in self.asked() if line.startswith(real[self.manager])]


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_complete_environment_starts_without_a_question(tmp_path: Path, shell: list[str]) -> None:
    bench = Bench(tmp_path)
    done = bench.run("inspect", "a b", "$(reboot)", "'\"", shell=tuple(shell))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "<-m><wizard><inspect><a b><$(reboot)><'\"><>"[:-2]
    assert bench.asked() == [f"{REPO}|1|1|"]


def test_links_are_followed_and_the_current_folder_is_ignored(
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


def test_folder_for_runs_does_not_move_the_environment(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.environment["DISKWRIGHT_STATE"] = str(tmp_path / "runs")
    done = bench.run("inspect")
    assert (done.returncode, done.stdout) == (0, "<-m><wizard><inspect>"), done.stderr
    assert bench.asked() == [f"{REPO}|1|1|"] and not bench.installs()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("variable", ["DISKWRIGHT_STATE", "DISKWRIGHT_SETUP"])
def test_root_refuses_folders_that_others_can_change(tmp_path: Path, variable: str) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 12345, 12345)
    bench.environment[variable] = str(tmp_path / "theirs")
    done = bench.run("inspect")
    assert done.returncode == 3 and variable in done.stderr
    assert bench.asked() == []


@pytest.mark.parametrize("word", ["--version", "--help", "-h", "help"])
def test_help_and_version_need_no_python(tmp_path: Path, word: str) -> None:
    bench = Bench(tmp_path)
    done = bench.run(word, launcher=bench.without_environment(), extra="")
    text = f"diskwright {__version__}\n" if word == "--version" else (REPO / "wizard/help.txt").read_text()
    assert (done.returncode, done.stdout, done.stderr) == (0, text, "")
    assert bench.asked() == []


@pytest.mark.parametrize("pythons", [{}, {"python3.12": NO_PYTHON}], ids=["alone", "beside a newer one"])
def test_old_python_is_refused_before_any_write(tmp_path: Path, pythons: dict[str, str]) -> None:
    bench = Bench(tmp_path, environment={"DISKWRIGHT_YES": "1"})
    launcher = bench.without_environment(python3=OLD_PYTHON, **pythons)
    shutil.rmtree(bench.state)
    done = bench.run(launcher=launcher)
    assert done.returncode == 3 and "this system has only Python 3.9" in done.stderr
    assert done.stderr.count("\n") == 1 and ONE_FILE in done.stderr
    assert bench.asked() == [] and not bench.state.exists()


@pytest.mark.parametrize("manager", COSTS)
@pytest.mark.parametrize(("offered", "code"), [("3.9.2-3", 3), ("3.10.6-1", 3), ("3.11.2-1+b1", 1)])
def test_python_is_installed_only_if_it_is_new_enough(
    tmp_path: Path, manager: str, offered: str, code: int
) -> None:
    bench = Bench(tmp_path, manager, install_fails=True, environment={"DISKWRIGHT_YES": "1"})
    launcher = bench.without_environment()
    stub = bench.bin / ("apt-cache" if manager == "apt-get" else manager)
    stub.touch()
    bench.stub(
        stub.name,
        f'case $* in *show*|*info*|-Si*) echo "Version : {offered}"; exit ;; esac\n{stub.read_text()}',
    )
    done = bench.run(launcher=launcher)
    assert done.returncode == code, done.stderr
    assert len(bench.installs()) == (code == 1)
    assert (ONE_FILE in done.stderr) == (code == 3)


OFFLINE = {
    "apt-get": "Err:1 http://deb.example sid InRelease\\n  Temporary failure resolving deb.example",
    "dnf": "Curl error (6): Couldn't resolve host name for https://fedora.example",
    "pacman": "error: failed to synchronize all databases (unable to lock database)",
}


@pytest.mark.parametrize("manager", OFFLINE)
def test_packages_are_not_installed_without_a_network(tmp_path: Path, manager: str) -> None:
    bench = Bench(tmp_path, manager, environment={"DISKWRIGHT_YES": "1"})
    bench.stub(manager, f'echo "$*" >> {bench.log}\nprintf "{OFFLINE[manager]}\\n"\nexit 1')
    done = bench.run("--setup-only")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"diskwright: No network: {manager} could not reach any server; {ONE_FILE}")
    assert len(bench.asked()) == 1 or manager == "pacman"


def test_one_unreachable_server_does_not_matter(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.stub("apt-get", f'printf "Hit:1 x\\n{OFFLINE["apt-get"]}\\n"')
    assert bench.run("--setup-only").returncode == 0


@pytest.mark.parametrize(
    ("pip_says", "message"),
    [
        (
            "Failed to establish a new connection: [Errno -3]",
            f"No network: pip could not reach any server; {ONE_FILE}",
        ),
        (
            "connect timeout\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES",
            "Cannot create the private Python environment in ",
        ),
    ],
)
def test_failure_of_pip_leaves_no_environment(tmp_path: Path, pip_says: str, message: str) -> None:
    bench = Bench(tmp_path, environment={"DISKWRIGHT_YES": "1", "PIP_SAYS": pip_says})
    launcher = bench.without_environment(python3=NEW_PYTHON)
    shutil.rmtree(bench.state)
    done = bench.run(launcher=launcher, extra="")
    assert done.returncode == 1 and message in done.stderr
    assert not list(bench.state.glob("venv-*"))


def test_single_file_is_named_only_if_it_runs(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    launcher = bench.without_environment(python3=OLD_PYTHON)
    bench.stub("uname", "echo aarch64")
    done = bench.run(launcher=launcher)
    assert done.returncode == 3 and done.stderr.endswith("this system has only Python 3.9.\n")


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@pytest.mark.parametrize(
    ("variable", "folder", "named", "word"),
    [
        ("DISKWRIGHT_SETUP", READ_ONLY, READ_ONLY, "inspect"),
        ("DISKWRIGHT_SETUP", f"{READ_ONLY}/new", f"{READ_ONLY}/new", "demo"),
        ("DISKWRIGHT_PREFIX", READ_ONLY, f"{READ_ONLY}/lib", "--install"),
    ],
)
def test_unwritable_folder_is_refused(
    tmp_path: Path, shell: list[str], variable: str, folder: str, named: str, word: str
) -> None:
    bench = Bench(tmp_path, environment={variable: folder})
    done = bench.run(word, shell=tuple(shell))
    assert done.returncode == 3
    assert done.stderr.startswith(f"diskwright: Cannot write to {named}: ")
    assert done.stderr.count("\n") == 1 and ONE_FILE in done.stderr
    assert not bench.installs()


def test_packages_are_not_offered_if_usr_is_read_only(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.stub("findmnt", "echo ro,relatime")
    done = bench.run("--setup-only")
    assert done.returncode == 3 and bench.asked() == []
    assert f"Cannot install nonesuch: /usr is read-only; {ONE_FILE}" in done.stderr


def test_single_file_is_named_without_a_package_manager(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    launcher = bench.without_environment()
    (bench.bin / "apt-get").unlink()
    done = bench.run(launcher=launcher, extra="")
    assert done.returncode == 3
    assert f"Cannot install pyparted python3 venv without apt, dnf or pacman; {ONE_FILE}" in done.stderr


def test_only_the_demo_installs_without_asking_without_a_terminal(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.complete.unlink()
    done = bench.run("inspect")
    assert done.returncode == 3
    assert "Nothing was installed" in done.stderr and "DISKWRIGHT_YES=1" in done.stderr
    assert not bench.installs()


@pytest.mark.parametrize("manager", COSTS)
def test_sizes_are_printed_before_the_installation(tmp_path: Path, manager: str) -> None:
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


def test_yes_installs(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    code, said = bench.answer("y\n", "--setup-only")
    assert code == 0, said
    assert len(bench.installs()) == 1


def test_user_gets_the_command_for_root(tmp_path: Path) -> None:
    bench = Bench(tmp_path, user=1000)
    done = bench.run("--setup-only")
    assert done.returncode == 3
    assert f"sudo {LAUNCHER} --setup-only" in done.stderr
    assert bench.asked() == []


def test_errors_of_the_package_manager_are_printed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, install_fails=True)
    done = bench.run("--setup-only")
    assert done.returncode == 1
    assert "apt-get could not install nonesuch" in done.stderr
    assert str(bench.state / "setup.log") in done.stderr


def test_second_setup_waits(tmp_path: Path) -> None:
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
    assert sum("Waiting for another" in text for text in said) == 1
    assert [line.split()[0] for line in bench.asked()] == ["begin", "end"] * (len(bench.asked()) // 2)


def test_no_index_or_mirror_is_named() -> None:
    """Hosts are configured in the package manager and pip."""
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
    """Return the versions in a lock file by package. Each must have a hash."""
    found: dict[str, str] = {}
    for block in re.split(r"\n(?=\w)", path.read_text()):
        match = re.match(r"([\w.-]+)==(\S+)", block)
        assert match and "--hash=sha256:" in block, f"{path.name}: {block[:40]!r} is not pinned by hash"
        found[match[1]] = match[2]
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_is_warned_about_an_open_checkout_and_can_install_a_copy(tmp_path: Path) -> None:
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
    assert f"Users other than root can change {checkout}/wizard" in told.stderr and "--install" in told.stderr
    assert told.returncode == 0
    assert run(checkout / "diskwright", "--install").returncode == 0
    copy = prefix / "lib/diskwright"
    assert {file.stat().st_uid for file in copy.rglob("*")} == {0} and not [*copy.rglob("__pycache__")]
    assert not any(file.stat().st_mode & 0o022 for file in copy.rglob("*"))
    again = run(prefix / "bin/diskwright", "glossary")
    assert (again.returncode, again.stdout) == (0, told.stdout) and "other than root" not in again.stderr
    # A second installation replaces the first.
    (copy / "wizard" / "old.py").touch()
    assert run(checkout / "diskwright", "--install").returncode == 0
    assert not (copy / "wizard" / "old.py").exists()
    assert run(prefix / "bin/diskwright", "--uninstall").returncode == 0
    assert not copy.exists() and not (prefix / "bin/diskwright").is_symlink()
    assert "There is no copy" in run(checkout / "diskwright", "--uninstall").stderr


def test_every_dependency_is_imported() -> None:
    named = {
        re.split(r"[=>]", one)[0]
        for one in tomllib.loads((REPO / "pyproject.toml").read_text())["project"]["dependencies"]
    }
    sources = "\n".join(path.read_text() for path in (REPO / "wizard").rglob("*.py"))
    unused = {name for name in named if not re.search(rf"^\s*(import|from) {name}\b", sources, re.MULTILINE)}
    assert named and not unused
