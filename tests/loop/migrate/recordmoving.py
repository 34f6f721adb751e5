"""Convert a test ext3 to ext4 for the published pictures: sudo python -m tests.loop.migrate.recordmoving

The assessment, plan and journal go to tests/looks/recorded_moving, as diskwright wrote them. The conversion
runs in its own mount namespace, with scratch folders over /var/lib/diskwright and /srv, and a copy over /etc.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.lab.errands.record import traces
from tests.loop.program import GIB, Environment, RunState, Way, follow, make_migration, start_document, state
from wizard.apply.conversion.guard import look_at_ext
from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.apply.run.job import Start
from wizard.apply.run.journal import FILE as JOURNAL
from wizard.apply.run.runs import STATE
from wizard.documents.codec import render_document, to_json
from wizard.ext4.document import MIGRATIONS

RECORDED = Path(__file__).resolve().parents[2] / "looks/recorded_moving"
INSIDE = "--inside"
SITUATION_SCHEMA = "diskwright.situation/1"
PLACE = Path("/srv/photos")
LINE = f"LABEL=photos  {PLACE}  ext3  defaults,noatime  0  2\n"
PICTURES = 1500


def main(arguments: list[str]) -> int:
    """Enter a new mount namespace and record there."""
    if arguments != [INSIDE]:
        command = ["unshare", "--mount", sys.executable, "-m", "tests.loop.migrate.recordmoving", INSIDE]
        return subprocess.run(command, check=False).returncode
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _cover(folder)
        try:
            _record(folder)
        finally:
            run("umount", str(OWN_FSTAB.parent))
            run("umount", str(STATE))
            run("umount", str(PLACE.parent))
    return 0


def _cover(folder: Path) -> None:
    """Mount scratch folders over the machine's own."""
    (folder / "state").mkdir(mode=0o700)
    shutil.copytree(OWN_FSTAB.parent, folder / "etc", symlinks=True)
    (folder / "etc" / OWN_FSTAB.name).write_text(f"# what is mounted at every start\n{LINE}")
    (folder / "srv" / PLACE.name).mkdir(parents=True)
    STATE.mkdir(mode=0o700, exist_ok=True)
    run("mount", "--bind", str(folder / "srv"), str(PLACE.parent))
    run("mount", "--bind", str(folder / "state"), str(STATE))
    run("mount", "--bind", str(folder / "etc"), str(OWN_FSTAB.parent))


def _record(folder: Path) -> None:
    image = STATE / "photos.img"
    image.touch(mode=0o600)
    os.truncate(image, 4 * GIB)
    drive = run("losetup", "--find", "--show", str(image)).strip()
    try:
        _fill(drive)
        situation = look_at_ext(drive, Environment())
        (folder / "situation.json").write_text(render_document(SITUATION_SCHEMA, to_json(situation)))
        migration = make_migration(situation, Way.FULL, manifest=True)
        (folder / "migration.json").write_text(MIGRATIONS.render(migration))
        begun = start_document(migration, Start((migration.drive.token,), None, Environment()))
        for entry in follow(begun):
            print(entry.sentence)
        if state(begun) is not RunState.DONE:
            raise SystemExit("The run did not come to its end: nothing is kept.")
        shutil.copyfile(begun / JOURNAL, folder / JOURNAL)
        (folder / "run.txt").write_text(f"{begun}\n")
    finally:
        run("losetup", "--detach", drive)
    _keep(folder)


def _fill(drive: str) -> None:
    """Create an old filesystem with files of many sizes, the same each time."""
    run("mke2fs", "-q", "-t", "ext3", "-I", "128", "-L", "photos", drive)
    run("mount", drive, str(PLACE))
    chance = Random(2008)
    for number in range(PICTURES):
        album = PLACE / f"album {number // 100}"
        album.mkdir(exist_ok=True)
        (album / f"picture {number}.jpg").write_bytes(chance.randbytes(chance.randrange(20_000, 300_000)))
    run("umount", str(PLACE))


def _keep(folder: Path) -> None:
    texts = {
        name: (folder / name).read_text() for name in ("situation.json", "migration.json", JOURNAL, "run.txt")
    }
    for name, text in texts.items():
        if found := (*traces(text), *([str(folder)] if str(folder) in text else [])):
            raise SystemExit(f"{name} tells of this machine: {', '.join(found)}. Nothing is kept.")
    RECORDED.mkdir(exist_ok=True)
    for name, text in texts.items():
        (RECORDED / name).write_text(text)


def run(*argv: str) -> str:
    """Return the output of a program, which must succeed."""
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
