"""The file tree of the single-file build, the module and the self-contained .deb, from a small checkout."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bundle import pack, tree

ROOT = Path(__file__).parents[3]
PYTHON = f"""#!/bin/sh
exec {sys.executable} -c 'import sys, pathlib; pathlib.Path(sys.argv[-1], "share").mkdir(parents=True)' "$@"
"""


@pytest.fixture
def umask_077() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Return the modes of the folder and its contents except links."""
    paths = [folder, *(path for path in folder.rglob("*") if not path.is_symlink())]
    return {str(path.relative_to(folder)): path.stat().st_mode & 0o7777 for path in paths}


@pytest.mark.usefixtures("umask_077")
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, built = tmp_path / "checkout", tmp_path / "tree"
    for name in ("wizard/__init__.py", "profiles/a.toml", "LICENSE", "packaging/debian/copyright"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_bytes((ROOT / "LICENSE").read_bytes())
    shutil.copytree(ROOT / "packaging/desktop", checkout / "packaging/desktop", copy_function=shutil.copyfile)
    monkeypatch.setattr(tree, "CHECKOUT", checkout)
    monkeypatch.setattr(pack, "CHECKOUT", checkout)
    seen: dict[str, dict[str, int]] = {}

    def squashed(_root: Path, folder: Path, file: Path, _date: int, *, quick: bool) -> Path:
        seen[file.suffix] = modes(folder)
        file.touch()
        return file

    monkeypatch.setattr(pack, "_squashed", squashed)
    monkeypatch.setattr(pack, "_tools", lambda _root, _date: b"")
    for name in ("app", "bin", "copyright", "python/bin"):
        (built / name).mkdir(parents=True)
    tree._put_program(built)
    tree._script(built / "python/bin/python", PYTHON)
    assert modes(built)["app/profiles/a.toml"] == 0o600
    pack.packed(built, tmp_path, "diskwright", 0, quick=True)
    programs = {"app/as-root", "bin/diskwright", "python/bin/python"}
    for kind, prefix in ((".squashfs", ""), (".srm", "opt/diskwright/")):
        found = seen[kind]
        assert found["."] == found[f"{prefix}app"] == 0o755 and found[f"{prefix}app/profiles/a.toml"] == 0o644
        assert set(found.values()) == {0o755, 0o644}
        assert {f"{prefix}{name}" for name in programs} <= {name for name in found if found[name] == 0o755}
    assert "usr/share/doc/diskwright-bundle/copyright" in seen[".srm"]
