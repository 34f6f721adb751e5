"""`tests/run`: selected tests and errors of usage, on a small test folder."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
ALONE = """
import pytest

@pytest.mark.alone
def test_align_last(): assert {holds}
"""
TESTS = {
    "unit/test_first.py": "def test_align_one(): pass\ndef test_other(): pass\n" + ALONE.format(holds=True),
    "unit/test_second.py": "def test_align_two(): print('said by two')\ndef test_broken(): assert False\n"
    + ALONE.format(holds=False),
    "lab/test_lab_part.py": "def test_part(): pass\n",
    "looks/test_looks.py": "def test_looks_align(): pass\n",
}


class Place:
    """A repository with the real tests/run, synthetic tests, and this test's environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in TESTS.items():
            self.write(f"tests/{name}", text)
        self.write(
            "pyproject.toml",
            '[tool.pytest.ini_options]\nmarkers = ["alone: after the others"]\n'
            'addopts = "-p no:cacheprovider"\n',
        )
        self.write("requirements.lock", "")
        self.write("tests/requirements.lock", "")
        self.script("diskwright", f"echo {folder}/state/venv")
        venv = f"state/tests-venv-{sha256(b'').hexdigest()[:12]}"
        self.script(f"{venv}/bin/python", f'exec {sys.executable} "$@"')
        self.write(f"{venv}/complete", "")
        # A handful of tests needs no workers, of which there is one more than processors.
        self.script("bin/nproc", "echo -1")
        shutil.copy(REPO / "tests/run", folder / "tests/run")

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def script(self, name: str, text: str) -> None:
        self.write(name, f"#!/bin/sh\n{text}\n").chmod(0o755)

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        plain = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV", "CI"))
        }
        plain |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p xdist"}
        plain["PATH"] = f"{self.folder}/bin:{plain['PATH']}"
        argv = (str(self.folder / "tests/run"), *argv)
        return subprocess.run(
            argv, capture_output=True, text=True, env=plain, cwd="/", timeout=900, check=False
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# Each sum counts one more than the tests: that nothing was left behind.
@pytest.mark.parametrize(
    ("argv", "total"),
    [
        (("unit", "tests/unit/test_first.py", "-k", "align"), "3 passed, 0 failed"),
        (("unit", "-k", "align"), "4 passed, 1 failed"),
        (("unit", "-k", "part"), "2 passed, 0 failed"),
        (("unit", "tests/unit/test_second.py::test_align_two", "-x"), "2 passed, 0 failed"),
        (("unit", "-x", "./tests/lab"), "2 passed, 0 failed"),
        (("unit", "looks", "-k", "align_one or looks_align"), "3 passed, 0 failed"),
        (("unit", "tests/unit/test_second.py", "-k", "broken or last", "-x"), "1 passed, 1 failed"),
        (("unit", "tests/unit/test_second.py", "-k", "broken or last", "--full"), "1 passed, 2 failed"),
        (("unit", "-k", "nothing_is_called_this"), "1 passed, 1 failed"),
    ],
)
def test_only_the_requested_tests_run(place: Place, argv: tuple[str, ...], total: str) -> None:
    done = place.run(*argv)
    assert done.stdout.splitlines()[-1] == total, done.stdout + done.stderr
    assert done.returncode == (0 if total.endswith(", 0 failed") else 1)


def test_output_of_one_test_is_shown_on_request(place: Place) -> None:
    assert "said by two" in place.run("unit", "tests/unit/test_second.py::test_align_two", "-s").stdout


def test_tests_are_listed_without_running(place: Place) -> None:
    done = place.run("unit", "tests/unit/test_second.py", "--collect-only")
    assert "test_align_two" in done.stdout and "passed" not in done.stdout and done.returncode == 0


def test_python_of_the_tests_is_available(place: Place) -> None:
    place.write("tests/some.py", "import sys; print(sys.argv[1:]); sys.exit(3)")
    done = place.run("--python", "-m", "tests.some", "-k", "a b")
    assert (done.returncode, done.stdout) == (3, "['-k', 'a b']\n")


def test_help_is_the_header_of_the_file(place: Place) -> None:
    done = place.run("--help")
    assert (
        done.returncode == 0 and "tests/run unit -k align" in done.stdout and "shellcheck" not in done.stdout
    )


def test_failures_are_listed_at_the_end(place: Place) -> None:
    told = "  ok    first\n  FAIL  second\n        seen: this\nand that\n  ok    third\n1 passed, 1 failed"
    place.write("tests/looks/photograph.py", f"print({told!r})\nraise SystemExit(1)\n")
    done = place.run("unit", "screenshots")
    end = done.stdout.partition("== What failed:\n")[2].splitlines()
    (last, broken), rest = sorted(line for line in end if line.startswith("unit: ")), end[2:5]
    assert "test_second test_broken" in broken and "test_second test_align_last" in last
    assert rest == ["screenshots:   FAIL  second", "screenshots:         seen: this", "screenshots: and that"]
    assert end[-1] == "7 passed, 3 failed" and done.returncode == 1
