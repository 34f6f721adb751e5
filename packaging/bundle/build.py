#!/usr/bin/env python3
"""`sudo packaging/bundle/build.py [--output FOLDER] [--new-lock]`: diskwright with everything that it needs,
as one file, as an archive, and as a module for live systems.

Needs root (it compiles in a root of its own), apt, dpkg-deb, mksquashfs and tar. What it takes from Debian is
named in packages.lock, and from the Python index in requirements.lock, all by hash.
"""

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from debian import NotBuilt, run
from pack import packed
from tree import CHECKOUT, build_tree


def main() -> int:
    """Build, and say what was made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("dist"), help="where to put the files (dist)")
    parser.add_argument(
        "--new-lock", action="store_true", help="write packages.lock anew from what the mirror has"
    )
    parser.add_argument(
        "--quick", action="store_true", help="for trying: pack loosely, and only the one that runs anywhere"
    )
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("build.py: it needs root, to compile in a root of its own.")
    arguments.output.mkdir(parents=True, exist_ok=True)
    try:
        date = int(
            run("git", "-C", CHECKOUT, "-c", f"safe.directory={CHECKOUT}", "log", "-1", "--format=%ct")
        )
        with tempfile.TemporaryDirectory(prefix="diskwright-bundle-", dir="/var/tmp") as folder:
            tree = build_tree(Path(folder), new_lock=arguments.new_lock)
            name = f"diskwright-{_version()}-x86_64"
            made = packed(tree, arguments.output, name, date, quick=arguments.quick)
    except NotBuilt as error:
        raise SystemExit(f"build.py: {error}") from None
    for file in made:
        print(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    return 0


def _version() -> str:
    text = (CHECKOUT / "wizard/__init__.py").read_text()
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(version)


if __name__ == "__main__":
    sys.exit(main())
