#!/usr/bin/env python3
"""Build the release files in dist/, each with one command:

sudo packaging/build.py bundle   one file, an archive and a module for live systems, with all dependencies
sudo packaging/build.py iso      a bootable medium with that module
"""

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

from bundle.pack import packed
from bundle.tree import CHECKOUT, Lock, build_tree
from iso.image import write_image
from iso.system import MEDIUM_NEEDS, build_system
from shared.apt import NotBuilt, needs, run


def main() -> int:
    """Build and list the release files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=CHECKOUT / "dist", help="the folder (dist)")
    parser.add_argument("--quick", action="store_true", help="for trying: pack loosely")
    kinds = parser.add_subparsers(dest="kind", required=True)
    bundle = kinds.add_parser("bundle", help="one file, an archive, and a module for live systems")
    bundle.add_argument(
        "--new-lock", action="store_true", help="write packages.lock anew from what the mirror has today"
    )
    bundle.add_argument(
        "--unpinned", action="store_true", help="take what the mirror has today, whatever packages.lock says"
    )
    kinds.add_parser("iso", help="a bootable medium, and the bundle first where it is not there")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("build.py: it needs root, to work in a root folder of its own.")
    os.umask(0o022)
    arguments.output.mkdir(parents=True, exist_ok=True)
    name = f"diskwright-{_version()}-x86_64"
    try:
        with tempfile.TemporaryDirectory(prefix="diskwright-build-", dir="/var/tmp") as folder:
            made = _made(Path(folder), arguments, name)
    except NotBuilt as error:
        raise SystemExit(f"build.py: {error}") from None
    for file in made:
        print(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    return 0


def _made(work: Path, arguments: argparse.Namespace, name: str) -> tuple[Path, ...]:
    output: Path = arguments.output.absolute()
    module, image = output / f"{name}.srm", output / f"{name}.iso"
    made: tuple[Path, ...] = ()
    needs("git", "apt-get", *(MEDIUM_NEEDS if arguments.kind == "iso" else ()))
    if arguments.kind == "bundle" or not module.exists():
        tree = build_tree(_folder(work / "bundle"), _lock(arguments))
        made = packed(tree, output, name, _date(), quick=arguments.quick)
    if arguments.kind == "iso":
        place = _folder(work / "iso")
        write_image(place, build_system(place, quick=arguments.quick), module, image)
        made = (*made, image)
    return made


def _folder(place: Path) -> Path:
    place.mkdir()
    return place


def _lock(arguments: argparse.Namespace) -> Lock:
    if getattr(arguments, "new_lock", False):
        return Lock.RENEWED
    return Lock.IGNORED if getattr(arguments, "unpinned", False) else Lock.HELD


def _version() -> str:
    text = (CHECKOUT / "wizard/__init__.py").read_text()
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(version)


def _date() -> int:
    """Return the date of the last commit in seconds since 1970, used as the date of every file."""
    return int(run("git", "-C", CHECKOUT, "-c", f"safe.directory={CHECKOUT}", "log", "-1", "--format=%ct"))


if __name__ == "__main__":
    sys.exit(main())
