"""`sudo python -m tests.looks.recording.record_walk`: record the run of the README's animation.

Sets up an empty drive, a sparse file behind a loop device, by `diskwright apply` with the wizard's plan. This
runs in a mount namespace with a copy of /etc with a user anna, an empty /srv and separate runs, so nothing
remains on this computer.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from tests.devices import tool
from tests.lab.errands.record import traces
from tests.lab.visits.drives.portraits import file_of
from tests.looks.recording.walked import ANNA, FOLDER, Walked, Walker
from tests.machines.made import Made
from tests.machines.record import AROUND, PATIENCE_SECONDS, _of_these, attached, may_record
from wizard.apply.run.runs import STATE
from wizard.documents.codec import render_document, to_json
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.probe.facts import SCHEMA
from wizard.probe.machine import load_facts, survey

REPO = Path(__file__).resolve().parents[3]
SIZE_BYTES = 1_000_204_886_016
"""As drives of 1 TB have it."""
INSIDE = "--inside"


def main(arguments: list[str]) -> int:
    """Record in a mount namespace."""
    if not may_record():
        print("Only root can record the walk: sudo python -m tests.looks.recording.record_walk")
        return 1
    if arguments != [INSIDE]:
        again = ("unshare", "--mount", "--propagation", "private")
        command = (*again, sys.executable, "-m", "tests.looks.recording.record_walk", INSIDE)
        return subprocess.run(command, cwd=REPO, check=False).returncode
    with TemporaryDirectory(dir="/var/tmp") as folder:
        _furnish(Path(folder))
        try:
            said = record()
        finally:
            tool("umount", str(STATE / "runs"))
    print(said)
    return 0


def _furnish(folder: Path) -> None:
    """Prepare a namespace with a user anna, invisible from outside."""
    etc, runs = folder / "etc", folder / "runs"
    shutil.copytree("/etc", etc, symlinks=True)
    passwd = etc / "passwd"
    others = [line for line in passwd.read_text().splitlines() if line.split(":")[2:3] != [str(ANNA.uid)]]
    anna = f"{ANNA.name}:x:{ANNA.uid}:{ANNA.gid}::/home/{ANNA.name}:/bin/sh"
    passwd.write_text("\n".join([*others, anna]) + "\n")
    (etc / "fstab").write_text("")
    runs.mkdir(mode=0o700)
    (STATE / "runs").mkdir(mode=0o700, parents=True, exist_ok=True)
    tool("mount", "--bind", str(etc), "/etc")
    tool("mount", "--bind", str(runs), str(STATE / "runs"))
    tool("mount", "-t", "tmpfs", "tmpfs", "/srv")


def record() -> str:
    """Return a sentence about the files written to FOLDER. Raises SystemExit if the run failed."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "plan.json").unlink(missing_ok=True)
    (FOLDER / "journal.jsonl").write_text("")
    with attached([Made(SIZE_BYTES)]) as (path,):
        _keep_machine(path)
        plan = _planned()
        file = FOLDER / "plan.json"
        file.write_text(PLANS.render(plan), encoding="utf-8")
        command = (sys.executable, "-m", "wizard", "apply", str(file), "--confirm", plan.drive.token)
        environment = {**os.environ, "SUDO_UID": str(ANNA.uid)}
        done = subprocess.run(command, cwd=REPO, env=environment, check=False)
        (run,) = (STATE / "runs").glob("[0-9]*")
        shutil.copy(run / "journal.jsonl", FOLDER)
        for volume in plan.volumes:
            tool("umount", str(volume.mount_point))
    told = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.iterdir())
    if done.returncode or (found := traces(told)):
        raise SystemExit(f"The run ended with {done.returncode}; of this computer it tells {found}.")
    return f"{FOLDER} has the run anew; `python -m tests.looks.photograph` makes docs/walk.svg of it."


def _keep_machine(path: str) -> None:
    """Record the drive as if attached to the lab's machine."""
    around, raw = load_facts(file_of(AROUND)), survey((path,), seconds=PATIENCE_SECONDS)
    names = {drive.name for drive in raw.drives}
    graph = _of_these(raw.graph, names, around.graph)
    facts = replace(around, drives=raw.drives, links={}, graph=graph)
    (FOLDER / "machine.json").write_text(render_document(SCHEMA, to_json(facts)), encoding="utf-8")


def _planned() -> Plan:
    """Return the wizard's plan after Enter on each screen."""
    walker = Walker(Walked())
    try:
        for place in ("drives", "purpose", "plan"):
            walker.come(place)
            walker.enter()
        walker.come("review")
        plan = walker.desk.session.plan
    finally:
        walker.desk.end()
    assert plan is not None
    return plan


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
