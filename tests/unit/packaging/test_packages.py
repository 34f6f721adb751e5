"""Content and metadata of distribution packages, compared with the program."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.schemas.documents import DOCUMENTS
from wizard import __version__
from wizard.apply.privilege.ask import HELPER
from wizard.cli.table import COMMANDS

REPO = Path(__file__).parents[3]
PACKAGING = REPO / "packaging"
FOLDER = "/usr/lib/diskwright"
RECIPES = {
    "debian": (PACKAGING / "debian/control").read_text(),
    "rpm": (PACKAGING / "rpm/diskwright.spec").read_text(),
    "arch": (PACKAGING / "arch/PKGBUILD").read_text(),
}
OWN = ("papers", "desktop", "debian", "rpm", "arch")
"""The folders of packages. What carries its own Python is tested beside it."""


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a package's files, as the root folder."""
    root = tmp_path_factory.mktemp("placed")
    subprocess.run(
        (PACKAGING / "install.sh", root),
        env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable},
        check=True,
    )
    return root


def test_all_files_are_installed(placed: Path) -> None:
    usr = placed / "usr"
    there = {str(path.relative_to(usr)) for path in usr.rglob("*") if path.is_file()}
    assert {
        "bin/diskwright",
        "lib/diskwright/as-root",
        "lib/diskwright/wizard/__main__.py",
        "lib/diskwright/profiles/packages.toml",
        "share/applications/diskwright.desktop",
        "share/icons/hicolor/scalable/apps/diskwright.svg",
        "share/metainfo/org.diskwright.diskwright.metainfo.xml",
        "share/polkit-1/actions/diskwright.policy",
        "share/bash-completion/completions/diskwright",
        "share/zsh/site-functions/_diskwright",
        "share/fish/vendor_completions.d/diskwright.fish",
        "share/man/man1/diskwright.1",
        *(f"share/man/man1/diskwright-{name}.1" for name in COMMANDS),
        *(f"share/diskwright/schemas/{one.file}" for one in DOCUMENTS),
    } <= there
    assert not [name for name in there if "__pycache__" in name or "/tests/" in name or name.endswith(".pot")]
    assert "@" not in (usr / "bin/diskwright").read_text().replace('"$@"', "")
    # Whoever looks for profiles follows a link within the package.
    assert (usr / "lib/diskwright/wizard/profiles/packages.toml").exists()


def test_installed_copy_runs(placed: Path) -> None:
    folder = placed / FOLDER.removeprefix("/")
    shown = subprocess.run(
        (sys.executable, "-B", "-m", "wizard", "workloads"),
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "large-media" in shown.stdout and str(REPO) not in shown.stdout


def test_polkit_action_names_the_started_program(placed: Path) -> None:
    policy = ElementTree.parse(placed / "usr/share/polkit-1/actions/diskwright.policy").getroot()
    (action,) = policy.findall("action")
    named = {one.get("key"): one.text for one in action.findall("annotate")}
    path = named["org.freedesktop.policykit.exec.path"]
    assert path == f"{FOLDER}/{HELPER}"
    helper = placed / path.removeprefix("/")
    assert helper.stat().st_mode & 0o777 == 0o755
    # Whoever is asked is asked each time, and told what for.
    assert {one.text for one in action.iterfind("defaults/*")} == {"auth_admin"}
    assert "only what you confirm" in (action.findtext("message") or "")


def test_all_recipes_have_one_version() -> None:
    changes = (PACKAGING / "debian/changelog").read_text()
    assert changes.startswith(f"diskwright ({__version__}-1) ")
    assert re.search(rf"^Version: +{re.escape(__version__)}$", RECIPES["rpm"], re.MULTILINE)
    assert f"\npkgver={__version__}\n" in RECIPES["arch"]
    metainfo = (PACKAGING / "desktop/org.diskwright.diskwright.metainfo.xml").read_text()
    newest = re.search(r"^## (\S+) - (\S+)$", (REPO / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None and newest[1] == __version__
    assert f'<releases>\n    <release version="{newest[1]}" date="{newest[2]}"/>\n' in metainfo


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipe_names_every_library(recipe: str) -> None:
    wanted = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[=><]", one)[0] for one in wanted}
    text = RECIPES[recipe]
    assert all(re.search(rf"\bpython3?-{name}\b", text) for name in names), names
    assert re.search(r"\bpython3?-(py)?parted\b", text)
    (textual,) = [one.partition("==")[2] for one in wanted if one.startswith("textual==")]
    major, minor, _ = textual.split(".")
    assert re.search(rf"textual *\(?>= *{major}\.{minor}\b", text)


@pytest.mark.parametrize(
    "command",
    [
        ("desktop-file-validate", "desktop/diskwright.desktop"),
        ("rpmspec", "-P", "rpm/diskwright.spec"),
    ],
    ids=lambda command: command[0],
)
def test_recipe_is_valid_for_its_tool(command: tuple[str, ...]) -> None:
    program = shutil.which(command[0])
    if program is None:
        pytest.skip(f"{command[0]} is not here")
    told = subprocess.run((program, *command[1:]), cwd=PACKAGING, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="appstreamcli is not installed")
def test_appstream_misses_only_a_home_page() -> None:
    file = PACKAGING / "desktop/org.diskwright.diskwright.metainfo.xml"
    command = ("appstreamcli", "validate", "--no-net", "--no-color", file)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    problems = re.findall(r"^[EW]: .*: (\S+)", done.stdout, re.MULTILINE)
    assert done.returncode == 0 or problems == ["url-homepage-missing"], done.stdout


def test_no_host_is_named() -> None:
    """Package managers fetch dependencies from their configured hosts."""
    known = ("www.debian.org/doc/packaging-manuals", "www.freedesktop.org/standards", "www.w3.org/2000/svg")
    files = [path for name in OWN for path in (PACKAGING / name).rglob("*") if path.is_file()]
    for path in (*files, *PACKAGING.glob("*.sh")):
        text = path.read_text(encoding="utf-8") if path.suffix != ".pyc" else ""
        assert not [url for url in re.findall(r"https?://(\S+)", text) if not url.startswith(known)], path
