"""`apply --debug`: the log includes the detached process."""

import re

from tests.devices import MakeDrive
from tests.loop.applying import Work, diskwright, spec
from tests.loop.program import MIB, PLANS


def test_log_has_commands_and_probes_of_every_process(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(128 * MIB)
    plan = work.plan(drive, spec("ext4"))
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    work.bench.own(drive)
    words = ("apply", str(file), "--confirm", plan.drive.token, "--fstab", str(work.fstab), "--debug")
    done = diskwright(work, *words, TMPDIR=str(work.folder))
    assert done.returncode == 0, done.stderr
    (log,) = work.folder.glob("diskwright-debug-*")
    assert done.stderr.splitlines()[-1].startswith(f"diskwright: Log: {log}.")
    said = log.read_text()
    ours = re.search(r"^\S+ (\d+) begin: ", said, re.MULTILINE)
    made = re.search(r"^\S+ (\d+) command: mkfs\.ext4 -q .*: status 0 after [0-9.]+ s$", said, re.MULTILINE)
    assert ours is not None and made is not None, said
    assert ours[1] != made[1], "another process makes the filesystem"
    assert re.search(rf" probe: {drive.removeprefix('/dev/')}: [0-9.]+ s, not read: nothing", said)
    assert "\nmkfs.ext4: mke2fs 1." in said
    assert plan.volumes[0].uuid not in said and "UUID-" in said
