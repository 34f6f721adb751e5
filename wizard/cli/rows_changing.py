"""Commands that change drives, and commands for runs."""

from wizard.cli import command
from wizard.cli.command import Argument, CommandRow
from wizard.model.said import Message, t
from wizard.ui.messages import SOURCE_HINT

WITHOUT_CONFIRM = t("Without --confirm, only show the changes.")
UNDONE = t("`diskwright undo` reverts the change.")


def _action(
    name: str,
    summary: Message,
    *arguments: Argument,
    device: Argument = command.VOLUME,
    undo: Message = UNDONE,
    example: str,
) -> CommandRow:
    return CommandRow(
        name,
        summary,
        "changes:act",
        (device, *arguments, *command.STARTS, command.FSTAB),
        (example,),
        (WITHOUT_CONFIRM, undo),
        probes=True,
        begins=True,
    )


CHANGING = (
    CommandRow(
        "apply",
        t("apply a plan exactly as shown"),
        "start:apply",
        (
            command.PLAN_FILE,
            command.CONFIRM,
            Argument("--keep", t("do not wait for `keep`; undo is then impossible")),
            command.DRY_RUN,
            command.PASSPHRASE_FILE,
            command.JOURNAL,
            command.FSTAB,
        ),
        (
            "diskwright apply media.json --dry-run",
            "sudo diskwright apply media.json --confirm WD-WX11A2345678",
            "sudo diskwright apply media.json --confirm sdb --journal /media/stick",
            "sudo diskwright apply striped.json --confirm WD-WX11A2345678 --confirm WD-WX11A2345679",
        ),
        (
            t(
                "`diskwright show` displays the token of each drive. A plan for several drives needs all "
                "tokens."
            ),
            t(
                "All checks run again before the first write, and a changed drive is refused. The steps are "
                "rehearsed on a scratch copy, the old bytes are saved, then the drive is written."
            ),
            t(
                "An empty drive is used right away. A drive with data waits: `diskwright keep` makes the "
                "result permanent, `diskwright undo` restores the old content, bit for bit. The folder for "
                "runs must not be on the target drive."
            ),
            t(
                "A background process does the work, even if you close the terminal. Ctrl+C stops it before "
                "the next step. `diskwright status` shows progress."
            ),
        ),
        probes=True,
        begins=True,
    ),
    CommandRow(
        "ensure",
        t("make drives match a file; changes only what differs"),
        "ensure:ensure",
        (
            Argument("wanted WANTED.toml?", t("file with drives and volumes, TOML or JSON")),
            Argument("--example", t("print an example with every key explained")),
            Argument("--check", t("show changes without writing")),
            Argument(
                "--detailed-exitcode", t("exit with 5 after a change, or if --check found a difference")
            ),
            command.JSON,
            command.JOURNAL,
            command.FSTAB,
        ),
        (
            "sudo diskwright ensure wanted.toml",
            "sudo diskwright ensure wanted.toml --check --detailed-exitcode --json",
        ),
        (
            t(
                "Model, serial number, size, bus or path must match exactly one drive. Volumes use the keys "
                "of `plan --volume`."
            ),
            t(
                "A drive with other content is refused. The error shows the `replace` line that allows "
                "losing exactly this content, and no later content."
            ),
        ),
        probes=True,
        begins=True,
    ),
    CommandRow(
        "move",
        t("move a partition, or all misaligned ones, with all data"),
        "changes:move",
        (
            Argument("device DEVICE", t("a partition, or a drive with misaligned partitions, not in use")),
            Argument("--align", t("move to the best aligned position nearby (default)"), group="where"),
            Argument(
                "--to START",
                t("move to this offset from the start of the drive: 1MiB, 2048s, or bytes"),
                convert="wizard.model.said:parse_place",
                group="where",
            ),
            *command.STARTS,
        ),
        (
            "sudo diskwright move /dev/sdX1",
            "sudo diskwright move /dev/sdX --align --confirm SERIAL",
            "sudo diskwright move /dev/sdX2 --to 100GiB -o move.json",
        ),
        (
            WITHOUT_CONFIRM,
            t(
                "The whole partition is read first, then moved and compared. A power cut loses no data: "
                "`diskwright resume` continues, `diskwright undo` moves the partition back."
            ),
        ),
        probes=True,
        begins=True,
    ),
    CommandRow(
        "bring",
        t("copy a folder or a filesystem to a volume, and compare"),
        "changes:bring",
        (
            Argument("source SOURCE", SOURCE_HINT),
            Argument("target TARGET", t("a folder on the volume, or the device of a mounted volume")),
            Argument("--into FOLDER", t("copy into this folder of the target, created if missing")),
            Argument("--take-place", t("mount the volume in place of SOURCE from the next boot on")),
            command.CONFIRM,
            command.DRY_RUN,
            command.JSON,
            command.JOURNAL,
            command.FSTAB,
        ),
        (
            "sudo diskwright bring /home/anna /srv/media --into anna",
            "sudo diskwright bring /home /srv/home --take-place --confirm SERIAL",
        ),
        (
            t(
                "Copies SOURCE into TARGET, as completely as the target supports. Losses are listed first. "
                "Existing files are never overwritten; the source is only read."
            ),
            t(
                "After a power cut, `diskwright resume` continues the copy. `diskwright undo` removes "
                "copied files that are still the same in the source."
            ),
        ),
        probes=True,
        begins=True,
    ),
    _action(
        "label",
        t("change the label of a filesystem, also in fstab"),
        Argument("label LABEL", t("the new label")),
        example="sudo diskwright label /dev/sdX1 films --confirm SERIAL",
    ),
    _action(
        "new-uuid",
        t("give a copied filesystem, container or table its own UUID"),
        example="sudo diskwright new-uuid /dev/sdX1 --confirm SERIAL",
    ),
    _action(
        "mount",
        t("mount a filesystem, now and at every boot"),
        Argument("--at FOLDER", t("mount point (/srv/LABEL)")),
        Argument("--options A,B", t("mount options"), convert="wizard.cli.command:listed", default=()),
        command.WRITABLE,
        Argument("--once", t("mount now, not at boot")),
        example="sudo diskwright mount /dev/sdX1 --at /srv/films --once --confirm SERIAL",
    ),
    _action(
        "unmount",
        t("unmount a filesystem; if busy, list the programs"),
        Argument("--boot", t("also remove the fstab line")),
        example="sudo diskwright unmount /dev/sdX1 --boot --confirm SERIAL",
    ),
    _action(
        "remount",
        t("change mount options in fstab, and now if possible"),
        Argument("options A,B", t("all options for the fstab line"), convert="wizard.cli.command:listed"),
        example="sudo diskwright remount /dev/sdX1 noatime,nofail --confirm SERIAL",
    ),
    _action(
        "grow",
        t("grow a mounted ext3, ext4, XFS or Btrfs into free space"),
        undo=t("`diskwright undo` works for Btrfs; ext4 and XFS cannot shrink while mounted."),
        example="sudo diskwright grow /dev/sdX1 --confirm SERIAL",
    ),
    _action(
        "power-off",
        t("unmount, flush and power off a removable drive"),
        undo=t("`diskwright undo` reverts everything except the power-off."),
        device=command.DRIVE,
        example="sudo diskwright power-off /dev/sdX --confirm SERIAL",
    ),
    _action(
        "release",
        t("stop unused arrays, volume groups and containers on a drive"),
        undo=t("`diskwright undo` starts all layers again except containers."),
        device=command.DRIVE,
        example="sudo diskwright release /dev/sdX --confirm SERIAL",
    ),
)

RUNS = (
    CommandRow(
        "status",
        t("list runs, waiting ones first"),
        "status:status",
        (command.RUN, command.JSON, command.JOURNAL),
        ("sudo diskwright status", "sudo diskwright status 0007-sdb --json"),
        (
            t(
                "States: running, waiting, done, failed, stopped, interrupted, refused, undone, kept. A "
                "waiting run is written, but not in use yet. `resume` continues a failed, stopped or "
                "interrupted run, `undo` reverts it. A refused run failed a check before the next write. A "
                "kept run cannot be undone."
            ),
        ),
    ),
    CommandRow(
        "look",
        t("show the result of a waiting run, read-only"),
        "runs:look",
        (command.RUN, command.JOURNAL),
        ("sudo diskwright look", "sudo diskwright look 0008-sdb"),
        (
            t(
                "Shows the commands that mount the scratch copy read-only in another terminal. The drive is "
                "neither read nor written. Preserved partitions have no content here."
            ),
        ),
    ),
    CommandRow(
        "keep",
        t("keep the result of a waiting run for good"),
        "runs:keep_run",
        (command.RUN, command.FROM_DRIVE, command.CONFIRM, command.PASSPHRASE_FILE, command.JOURNAL),
        (
            "sudo diskwright keep",
            "sudo diskwright keep 0008-sdb1",
            "sudo diskwright keep --from-drive /dev/sdb",
        ),
        (
            t(
                "Writes the withheld signatures, mounts the volumes as planned, and runs all checks. "
                "Deletes the saved bytes: the old content is then lost for good. If interrupted, run again."
            ),
            t(
                "A waiting drive looks empty, also on other computers. If the run's folder is lost, "
                "--from-drive reads the recovery label on the drive. It lists every range to write; "
                "--confirm writes and checks the ranges. No volume is mounted. The old content was saved in "
                "the folder, and is lost as well."
            ),
        ),
        begins=True,
    ),
    CommandRow(
        "undo",
        t("restore the old content, bit for bit, unless the run was kept"),
        "runs:undo_run",
        (
            command.RUN,
            command.JOURNAL,
            Argument(
                "--over-changes", t("overwrite data that another program wrote to the drive since `apply`")
            ),
            command.CONFIRM,
        ),
        ("sudo diskwright undo", "sudo diskwright undo 0007-sdb"),
        (
            t(
                "The old content is read back and compared. If interrupted, run again. Settings are "
                "reverted unless changed since. A conversion to ext4 is undone until kept or mounted for "
                "writing. A plan that ran directly on the drive cannot be undone."
            ),
        ),
        begins=True,
    ),
    CommandRow(
        "resume",
        t("continue a failed, stopped or interrupted run"),
        "runs:resume_run",
        (command.RUN, command.FROM_DRIVE, command.CONFIRM, command.PASSPHRASE_FILE, command.JOURNAL),
        (
            "sudo diskwright resume",
            "sudo diskwright resume 0007-sdb --confirm WD-WX11A2345678",
            "sudo diskwright resume --from-drive /dev/sdb",
            t("a move, from the journal on the drive"),
        ),
        (
            t(
                "Continues with the first unfinished step. The drive must be the same, and unchanged since "
                "the run ended. If the run would still overwrite data, confirm the drive again."
            ),
        ),
        begins=True,
    ),
    CommandRow(
        "report",
        t("save a run or a plan as one HTML page or as JSON"),
        "report:report",
        (
            command.RUN,
            Argument("--plan PLAN.json", t("report on a plan that was not applied")),
            Argument("--device DEVICE", t("report on a drive, without a plan")),
            Argument("--workload ID", t("with --device or --machine: add advice for this workload")),
            command.MACHINE,
            Argument("--verdict VERDICT.json", t("add measurements from `bench -o` or `trial -o`")),
            command.JOURNAL,
            Argument(
                "-o --output FILE", t("save the page in this file, or the document if the name ends in .json")
            ),
            command.JSON,
            Argument(
                "--without-serials",
                t(
                    "replace serial numbers, WWNs, UUIDs, by-id paths, labels, mount points and names of "
                    "personal folders"
                ),
            ),
        ),
        (
            "sudo diskwright report 0007-sdb --without-serials -o report.html",
            "diskwright report --plan media.json --machine saved.json -o report.html",
            "diskwright report --device /dev/sdX --workload large-media --json | jq .advice[0].choices[0]",
        ),
    ),
)
