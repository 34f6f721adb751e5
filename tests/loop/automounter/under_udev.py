"""Run a plan under a real udev, isolated in namespaces: `python -m tests.loop.automounter.under_udev DRIVE
FOLDER`.

The only udev rule passes events of the drive's partitions to a script. Like an automounter, the script mounts
unmounted filesystems without an ignore flag, unmounts removed devices, and logs each event to FOLDER/told.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.devices import tool
from tests.loop.applying import ended, spec, story, until
from tests.loop.program import Environment, Mode, make_plan, probe_machine, start_run
from wizard.apply.run.process import settle
from wizard.apply.system.mounts import read_mounts
from wizard.plan.request.plan_request import NewVolumes

UDEVD = "/usr/lib/systemd/systemd-udevd"

RULE = """SUBSYSTEM!="block", GOTO="end"
KERNEL!="{name}p*", GOTO="end"
ACTION!="remove", OPTIONS+="watch", IMPORT{{builtin}}="blkid"
RUN+="{script}"
LABEL="end"
"""

SCRIPT = """#!/bin/sh
mounted=$(grep -c " $DEVNAME " /proc/self/mountinfo)
echo "$ACTION $DEVNAME type=$ID_FS_TYPE ignore=$UDISKS_IGNORE mounted=$mounted" >> {folder}/told
case $ACTION in
    remove) [ "$mounted" = 0 ] || umount "$DEVNAME" ;;
    *)
        if [ "$ID_FS_USAGE" = filesystem ] && [ "$UDISKS_IGNORE" != 1 ] && [ "$mounted" = 0 ]; then
            mkdir -p {folder}/auto/"${{DEVNAME##*/}}"
            mount "$DEVNAME" {folder}/auto/"${{DEVNAME##*/}}"
        fi
        ;;
esac
"""


def begin_udev(drive: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start udev with only this rule."""
    for place in ("/run", "/usr/lib/udev/rules.d", "/etc/udev/rules.d"):
        if Path(place).is_dir():
            tool("mount", "-t", "tmpfs", "tmpfs", place)
    script = folder / "automount"
    script.write_text(SCRIPT.format(folder=folder))
    script.chmod(0o755)
    Path("/run/udev/rules.d").mkdir(parents=True)
    Path("/run/udev/rules.d/10-automounter.rules").write_text(
        RULE.format(name=Path(drive).name, script=script)
    )
    process = subprocess.Popen([UDEVD], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(Path("/run/udev/control").exists)
    # It answers when it listens to the kernel, too.
    tool("udevadm", "control", "--ping")
    return process


def main(drive: str, folder: Path) -> None:
    """Replace partitions with filesystems by a new one, mount it, and check udev's view."""
    udev = begin_udev(drive, folder)
    try:
        tool(
            "sh",
            "-c",
            f"printf 'label: gpt\\nstart=5MiB,size=20MiB\\n' | sfdisk --quiet --no-reread {drive} || true",
        )
        tool("partx", "--update", drive)
        settle()
        tool("mkfs.ext4", "-q", "-L", "old", f"{drive}p1")
        settle()
        before = [entry.mount_point for entry in read_mounts() if entry.source == f"{drive}p1"]
        tool("umount", f"{drive}p1")
        settle()
        machine = probe_machine([drive])
        plan = make_plan(
            machine, (machine.drives[0],), NewVolumes((spec("ext4", None, folder / "media"),), Mode.REPLACE)
        )
        fstab = folder / "fstab"
        fstab.write_text("")
        (folder / "told").write_text("")
        run = start_run(
            plan,
            *plan.tokens,
            journal_dir=folder / "runs",
            keep=True,
            environment=Environment(fstab, frozenset({drive})),
        )
        state = ended(run)
        settle()
        seen = {
            "state": state,
            "automounted_before": before,
            "mounted": [entry.mount_point for entry in read_mounts() if entry.source == f"{drive}p1"],
            "told": (folder / "told").read_text().splitlines(),
            "rules": sorted(path.name for path in Path("/run/udev/rules.d").iterdir()),
            "story": story(run),
        }
        print(json.dumps(seen))
    finally:
        subprocess.run(
            ["umount", "--all-targets", f"{drive}p1"], capture_output=True, timeout=30, check=False
        )
        udev.terminate()
        udev.wait(timeout=20)
        shutil.rmtree(folder / "auto", ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
