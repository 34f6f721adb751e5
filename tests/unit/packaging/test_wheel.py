"""The wheel built by pip, in its own folder: the same data as a checkout."""

import email
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
KEPT = ("wizard", "profiles", "packaging", "pyproject.toml", "LICENSE")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in KEPT:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(
                place,
                source / name,
                symlinks=True,
                ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
            )
        else:
            shutil.copy(place, source / name)
    pip = (sys.executable, "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check")
    built = (
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "-w",
        str(folder / "built"),
        str(source),
    )
    subprocess.run((*pip, *built), check=True, capture_output=True)
    (wheel,) = (folder / "built").iterdir()
    target = folder / "installed"
    subprocess.run(
        (*pip, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)),
        check=True,
        capture_output=True,
    )
    return target


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program from the wheel alone."""
    environment = {**os.environ, "PYTHONPATH": str(place), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        (sys.executable, "-m", "wizard", *words), cwd="/", env=environment, capture_output=True, text=True
    )


def test_wheel_recognises_listed_shingled_models(installed: Path) -> None:
    recorded = ("inspect", "--machine", str(ROOT / "tests/machines/by-list.json"))
    ours = run(ROOT, *recorded)
    said = run(installed, *recorded)
    assert (said.stdout, said.returncode) == (ours.stdout, ours.returncode) and not said.stderr
    assert "shingled" in said.stdout


def test_wheel_has_every_profile_and_no_tests(installed: Path) -> None:
    def files(folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in folder.rglob("*.toml")}

    assert files(installed / "wizard/profiles") == files(ROOT / "profiles")
    assert not (installed / "tests").exists()


def test_description_works_without_the_repository(installed: Path) -> None:
    (file,) = installed.glob("diskwright-*.dist-info/METADATA")
    about = email.message_from_string(file.read_text())
    text = str(about.get_payload())
    assert "pyparted" in text and not re.search(r"\]\(|<img", text)
    assert about["Keywords"] and about.get_all("Classifier") and about["License-Expression"]
    needed = [one for one in about.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert {re.split(r"\W", one)[0] for one in needed} == {"textual", "rich", "pyudev", "psutil", "msgspec"}


def test_wheel_without_profiles_does_not_start(installed: Path, tmp_path: Path) -> None:
    place = tmp_path / "without"
    shutil.copytree(installed, place)
    shutil.rmtree(place / "wizard/profiles/drives")
    for words in ((), ("inspect",), ("workloads",), ("apply", "plan.json")):
        said = run(place, *words)
        assert said.returncode == 1 and "wizard/profiles is missing" in said.stderr and not said.stdout
    assert run(place, "--help").returncode == 0
