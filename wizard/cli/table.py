"""All commands: name, summary, function, arguments and examples, by group in the order of the help."""

from msgspec.structs import replace

from wizard.cli.command import Argument, CommandRow
from wizard.model.said import Message, Sentence, t
from wizard.ui.messages import SOURCE_HINT

# Arguments of several commands.
RUN = Argument(
    "run RUN?", t("a name from `diskwright status`, or a run's folder; optional if one run is open")
)
JOURNAL = Argument(
    "--journal DIR", t("folder for runs (/var/lib/diskwright/runs)"), convert="wizard.cli.command:folder"
)
FSTAB = Argument("--fstab FILE", t("another fstab, for a system mounted elsewhere"), default="/etc/fstab")
CONFIRM = Argument(
    "--confirm TOKEN+", t("confirm with the drive's serial number, or the device name if the drive has none")
)
CONFIRM_ONCE = replace(CONFIRM, spec="--confirm TOKEN")
DRY_RUN = Argument("--dry-run", t("run all checks without writing"))
JSON = Argument("--json", t("print a JSON document"))
OUTPUT = Argument("-o --output FILE", t("save the document in this file"))
MACHINE = Argument("--machine FILE", t("use a machine recorded by `inspect --save`"))
PASSPHRASE_FILE = Argument(
    "--passphrase-file FILE",
    t("read the passphrase from this file, or from stdin for -; a final newline is ignored"),
)
FROM_DRIVE = Argument(
    "--from-drive DEVICE",
    t("the drive of a run whose folder is lost or on another computer; `resume` continues only moves"),
    excludes="run",
)
WORKLOAD = Argument("--workload ID", t("a workload, see `diskwright workloads`"), required=True)
WRITABLE = Argument(
    "--writable WHO",
    t("who may write: user, group:NAME, everyone, root"),
    convert="wizard.probe.host.environment:writer_named",
)
FS = Argument("--fs FS", t("filesystem (default: the recommended one)"), needs="--workload")
PLAN_FILE = Argument("plan PLAN.json", t("a file saved with -o, or - for stdin"))
DRIVE = Argument("device DEVICE", t("a drive, such as /dev/sdb"))
DRIVE_OR_PART = Argument("device DEVICE", t("a drive, such as /dev/sdb, or a partition"))
VOLUME = Argument("device DEVICE", t("a partition, or a drive without a partition table"))
PLAIN = Argument("--plain", t("ask line by line, with numbered answers (default with TERM=dumb)"))

STARTS = (CONFIRM, DRY_RUN, OUTPUT, JSON, JOURNAL)
"""Options of commands that show a document, and start the run if confirmed."""

_PLAN = CommandRow(
    "plan",
    t("plan a layout without writing to the drive"),
    "plan:plan",
    (
        Argument(
            "devices DEVICE+",
            t("a drive, or a partition, such as /dev/sdb2; several drives with --stripe or --mirror"),
        ),
        Argument("--replace", t("erase all content of the drive"), group="mode"),
        Argument("--use-free", t("preserve every partition; use only free space"), group="mode"),
        Argument(
            "--volume KEY=VALUE,...+",
            t(
                "a volume, repeatable, with the keys workload, fs, size, label, mount, option, writable, "
                "encrypt, key, role and subvolume (NAME:DIR)"
            ),
            group="what",
        ),
        Argument("--workload ID", t("one volume across all space, for this workload"), group="what"),
        Argument(
            "--preset",
            t("volumes for a desktop system, with usual sizes"),
            choices="wizard.plan.request.wanted:PRESETS",
            group="what",
        ),
        Argument("--delete", t("delete the partition DEVICE"), group="what"),
        Argument("--grow", t("grow the partition DEVICE and its filesystem into free space"), group="what"),
        Argument("--grow-to SIZE", t("grow to this size"), group="what"),
        Argument(
            "--shrink SIZE",
            t("shrink the partition DEVICE and its ext2, ext3, ext4, Btrfs or NTFS to this size"),
            group="what",
        ),
        Argument(
            "--restore-table",
            t("write the lost table back around the contents found"),
            group="what",
            excludes="--replace --use-free --stripe --mirror --lvm",
        ),
        FS,
        Argument("--label LABEL", t("the new label"), needs="--workload"),
        Argument("--mount DIR", t("mount point, now and at every boot; none for none"), needs="--workload"),
        replace(WRITABLE, convert="", needs="--workload"),
        Argument("--option ID+", t("add an option of `diskwright options`; repeatable"), needs="--workload"),
        Argument("--encrypt", t("encrypt with LUKS2"), needs="--workload"),
        Argument("--danger PHRASE+", t("accept the danger of an option by typing it; repeatable")),
        Argument(
            "--table",
            t("type of a new table: gpt, or mbr for firmware without GPT support (default: gpt)"),
            choices=("gpt", "mbr"),
            excludes="--use-free",
        ),
        Argument(
            "--stripe",
            t("stripe the volume over all drives"),
            choices="wizard.plan.raid.striping:FILESYSTEMS",
            group="spread",
            excludes="--volume --preset",
        ),
        Argument(
            "--mirror",
            t("mirror the volume on all drives"),
            choices="wizard.plan.raid.striping:FILESYSTEMS",
            group="spread",
            excludes="--volume --preset",
        ),
        Argument("--lvm", t("on one drive: put all volumes into an LVM volume group"), group="spread"),
        Argument("--chunk SIZE", t("with --stripe md: chunk size (512K)"), needs="--stripe"),
        Argument(
            "--metadata",
            t("with --stripe btrfs: metadata profile (raid1)"),
            choices="wizard.plan.raid.striping:METADATA",
            needs="--stripe",
        ),
        OUTPUT,
        MACHINE,
    ),
    (
        "diskwright plan /dev/sdX --workload large-media -o media.json",
        "diskwright plan /dev/sdX --replace --workload small-files --label mail --mount /srv/mail "
        "-o mail.json",
        "diskwright plan /dev/sdX --use-free --volume workload=large-media,size=500G,label=media,"
        "mount=/srv/media --volume workload=small-files,fs=ext4,label=photos -o both.json",
        "diskwright plan /dev/sdX --replace --volume role=esp --volume role=root,fs=btrfs,size=30% "
        "--volume role=home,size=rest",
        "diskwright plan /dev/sdX2 --shrink 40G -o shrink.json",
        "diskwright plan /dev/sdX /dev/sdY --mirror btrfs --workload nas --mount /srv/files -o mirrored.json",
    ),
    (
        t("Never writes to a drive. A drive with content is refused unless you add --replace or --use-free."),
        t(
            "Sizes are written as 500G, 30% (of the usable space) or rest. A volume without a size uses the "
            "remaining space. --fs, --label, --mount, --writable, --option and --encrypt describe the one "
            "volume of --workload."
        ),
        t(
            "A data volume is mounted at /srv/LABEL, now and at every boot, and writable by the user who "
            "called sudo. On a removable drive, a volume for other systems is left to the desktop."
        ),
        t(
            "role= is esp, boot, root, home or swap. The partition gets the type that firmware and systemd "
            "expect, and the usual size. Such volumes are mounted on the running system only with mount=. "
            "--preset desktop prints the equivalent --volume options for you to edit."
        ),
        t(
            "`diskwright apply` asks for the passphrase of encrypted volumes; plans never contain it. If "
            "you lose the passphrase, you lose the data. With key=FILE, root's key file opens the volume "
            "too, also at every boot."
        ),
        t(
            "--stripe spreads one volume across all drives with md (RAID0) or Btrfs. If any drive fails, "
            "the whole volume is lost. --mirror stores copies with md (RAID1) or Btrfs. A mirror survives "
            "the loss of a drive, and is not a backup."
        ),
    ),
)

PLANNING = (
    _PLAN,
    CommandRow(
        "tune",
        t("suggest better settings for an existing filesystem"),
        "changes:tune",
        (VOLUME, WRITABLE, WORKLOAD, OUTPUT, FSTAB, JSON),
        (
            "diskwright tune /dev/sdX1 --workload small-files",
            "sudo diskwright tune /dev/sdX1 --workload large-media -o better.json",
        ),
        (
            t(
                "Writes only the -o file. `diskwright apply` makes exactly these changes, with the "
                "filesystem in use. `diskwright undo` reverts them. Files changed in the meantime are "
                "refused."
            ),
        ),
    ),
    CommandRow(
        "migrate",
        t("compare conversions from ext2 or ext3 to ext4, or save one as a plan"),
        "changes:migrate",
        (
            VOLUME,
            Argument(
                "--way",
                t("plan this conversion (default: compare all)"),
                choices="wizard.plan.changes:Way",
            ),
            Argument("--manifest", t("compare content and attributes of every file before and after")),
            Argument("--repair", t("repair damage, if the repair can be undone")),
            FSTAB,
            *(replace(one, needs="--way") for one in (CONFIRM, DRY_RUN, OUTPUT)),
            JSON,
            JOURNAL,
        ),
        (
            "sudo diskwright migrate /dev/sdX1",
            "sudo diskwright migrate /dev/sdX1 --way full -o films.json",
            "sudo diskwright migrate /dev/sdX1 --way mount --confirm SERIAL",
        ),
        (
            t(
                "Every conversion except `mount` requires an unmounted filesystem. Convert the root of the "
                "running system from a rescue medium, with the same command."
            ),
        ),
        begins=True,
    ),
    CommandRow(
        "show",
        t("show a plan: before, after, and all commands"),
        "start:show_document",
        (PLAN_FILE, JSON),
        (
            "diskwright show media.json",
            "diskwright plan /dev/sdX --workload large-media | diskwright show -",
        ),
    ),
    CommandRow(
        "export",
        t("export a plan or drive for ensure, Ansible or other tools"),
        "export:export",
        (
            Argument("plan SOURCE", t("a plan saved with -o, or an existing drive")),
            Argument(
                "--as",
                t("a dump for sfdisk, a folder of definitions for systemd-repart, or text, see below"),
                choices=("sfdisk", "repart", "wanted", "ansible", "fstab"),
                dest="format",
                required=True,
            ),
            Argument("--device DEVICE", t("one drive of a plan with several")),
            Argument(
                "-o --output PATH", t("save the output in this file, or the definitions in this folder")
            ),
            FSTAB,
        ),
        (
            "diskwright export media.json --as sfdisk -o media.dump",
            "diskwright export media.json --as repart -o repart.d",
            "sudo diskwright export /dev/sdX --as wanted -o wanted.toml",
        ),
        (
            t(
                "`sfdisk DEVICE < DUMP` creates the same table: positions, types, names, attributes, and "
                "GUIDs of preserved partitions. It destroys the drive's content without asking."
            ),
            t(
                "`systemd-repart --definitions=FOLDER --empty=require --dry-run=no DEVICE` creates the "
                "layout on an empty drive. Add --key-file=FILE for encrypted volumes, and "
                "--generate-fstab=FILE and --generate-crypttab=FILE for mounts."
            ),
            t(
                "`wanted` is a file for `diskwright ensure`, `ansible` a task with the same content. "
                "`fstab` is the lines that the plan adds. A drive can be exported as wanted or ansible; "
                "`ensure` then changes nothing on that drive."
            ),
            t("Whatever is not exported is listed on stderr. Never writes to a drive."),
        ),
    ),
)

WITHOUT_CONFIRM = t("Without --confirm, only show the changes.")
UNDONE = t("`diskwright undo` reverts the change.")


def _action(
    name: str,
    summary: Message,
    *arguments: Argument,
    device: Argument = VOLUME,
    undo: Message = UNDONE,
    example: str,
) -> CommandRow:
    return CommandRow(
        name,
        summary,
        "changes:act",
        (device, *arguments, *STARTS, FSTAB),
        (example,),
        (WITHOUT_CONFIRM, undo),
        begins=True,
    )


CHANGING = (
    CommandRow(
        "apply",
        t("apply a plan exactly as shown"),
        "start:apply",
        (
            PLAN_FILE,
            CONFIRM,
            Argument("--keep", t("do not wait for `keep`; undo is then impossible")),
            DRY_RUN,
            PASSPHRASE_FILE,
            JOURNAL,
            FSTAB,
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
            JSON,
            JOURNAL,
            FSTAB,
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
            *STARTS,
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
            CONFIRM,
            DRY_RUN,
            JSON,
            JOURNAL,
            FSTAB,
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
        WRITABLE,
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
        device=DRIVE,
        example="sudo diskwright power-off /dev/sdX --confirm SERIAL",
    ),
    _action(
        "release",
        t("stop unused arrays, volume groups and containers on a drive"),
        undo=t("`diskwright undo` starts all layers again except containers."),
        device=DRIVE,
        example="sudo diskwright release /dev/sdX --confirm SERIAL",
    ),
)

RUNS = (
    CommandRow(
        "status",
        t("list runs, waiting ones first"),
        "status:status",
        (RUN, JSON, JOURNAL),
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
        (RUN, JOURNAL),
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
        (RUN, FROM_DRIVE, replace(CONFIRM, needs="--from-drive"), PASSPHRASE_FILE, JOURNAL),
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
            RUN,
            JOURNAL,
            Argument(
                "--over-changes", t("overwrite data that another program wrote to the drive since `apply`")
            ),
            CONFIRM,
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
        (RUN, FROM_DRIVE, CONFIRM, PASSPHRASE_FILE, JOURNAL),
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
            RUN,
            Argument("--plan PLAN.json", t("report on a plan that was not applied"), excludes="run"),
            Argument("--device DEVICE", t("report on a drive, without a plan"), excludes="run --plan"),
            Argument("--workload ID", t("with --device or --machine: add advice for this workload")),
            MACHINE,
            Argument("--verdict VERDICT.json", t("add measurements from `bench -o` or `trial -o`")),
            JOURNAL,
            Argument(
                "-o --output FILE", t("save the page in this file, or the document if the name ends in .json")
            ),
            JSON,
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

WIZARD = CommandRow(
    "",
    t("set up a drive, or work on existing volumes"),
    "open_wizard:open_wizard",
    (
        replace(DRIVE_OR_PART, spec="device DEVICE?", default=""),
        MACHINE,
        JOURNAL,
        PLAIN,
    ),
    (
        "sudo diskwright",
        "diskwright",
        "sudo diskwright /dev/sdX",
        "diskwright --machine recorded.json",
        "sudo diskwright --plain",
    ),
    (
        t(
            "Five screens: drives, purpose, plan, review, work. Press ? or F1 for help, F2 for the "
            "glossary, Esc to go back."
        ),
    ),
)

OWN_FILES = Sentence(
    "Add your own as TOML files in the folder {folder} of /etc/diskwright or ~/.config/diskwright. An entry "
    "with an existing id replaces that entry."
)

_LOOKING = (
    CommandRow(
        "inspect",
        t("list drives and findings"),
        "inspect:inspect",
        (
            replace(DRIVE, spec="devices DEVICE*"),
            JSON,
            Argument("--all", t("include empty loop devices, RAM disks, layers and empty card readers")),
            Argument("--save FILE", t("record the raw facts in FILE, for a bug report"), group="from"),
            replace(MACHINE, group="from"),
        ),
        (
            "diskwright inspect",
            "sudo diskwright inspect /dev/sdb --json | jq .drives[].findings",
            "diskwright inspect --machine mine.json",
        ),
        (t("Never writes to a drive. Without root, unreadable facts are listed with the reason."),),
    ),
    CommandRow(
        "advise",
        t("recommend a filesystem and options for a drive and a workload"),
        "plan:advise_drive",
        (DRIVE, WORKLOAD, JSON, MACHINE),
        (
            "diskwright advise /dev/sdX --workload large-media",
            "diskwright advise /dev/sdX --workload small-files --json | jq .choices[0]",
        ),
    ),
    CommandRow(
        "workloads",
        t("list workloads"),
        "lists:workloads",
        (JSON,),
        ("diskwright workloads", "diskwright workloads --json | jq -r .workloads[].id"),
        (OWN_FILES(folder="workloads"),),
    ),
    CommandRow(
        "options",
        t("list options of mkfs, mount and tune2fs with effect, danger and kernels"),
        "lists:options",
        (
            Argument("filesystem FILESYSTEM?", t("list only this filesystem's options, such as ext4")),
            Argument("--danger", t("list only options that endanger data")),
            JSON,
            MACHINE,
        ),
        ("diskwright options ext4", "diskwright options btrfs --danger --json"),
        (
            t(
                "Pass the name in brackets to `diskwright plan --option`. Options of tune are for existing "
                "filesystems, and listed for reference only."
            ),
            OWN_FILES(folder="options"),
        ),
    ),
    CommandRow(
        "glossary",
        t("explain a word, such as 512e, SMR or stripe width"),
        "lists:glossary",
        (Argument("term TERM*", t("a term, in any spelling (default: all)")), JSON),
        ("diskwright glossary 512e", "diskwright glossary stripe width"),
        (OWN_FILES(folder="glossary"),),
    ),
)

MOST_BYTES = Argument("--most-bytes SIZE", t("limit of written data, such as 8G (32G)"))

_MEASURING = (
    CommandRow(
        "bench",
        t("measure aligned against misaligned access, or find a shingled drive's write cliff"),
        "measure:bench",
        (
            DRIVE_OR_PART,
            Argument(
                "--scratch",
                t("measure writes, in free space only, rewriting the same bytes"),
                needs="--confirm",
            ),
            replace(CONFIRM_ONCE, needs="--scratch"),
            Argument(
                "--shingled",
                t("with --scratch: look for the write cliff of a shingled drive"),
                needs="--scratch",
                excludes="--assume-physical",
            ),
            Argument(
                "--quick",
                t("with --shingled: one-minute test, unconfirmed on real drives"),
                needs="--scratch --shingled",
                excludes="--seconds --most-bytes",
            ),
            Argument(
                "--seconds N", t("time limit in seconds (30; with --shingled 1800)"), convert="builtins:float"
            ),
            replace(MOST_BYTES, needs="--shingled"),
            Argument("--assume-physical BYTES", t("assume this physical block size")),
            JSON,
            OUTPUT,
        ),
        (
            "sudo diskwright bench /dev/sdX",
            "sudo diskwright bench /dev/sdX1",
            "sudo diskwright bench /dev/sdX --assume-physical 4096",
            "sudo diskwright bench /dev/sdX --scratch --confirm SERIAL -o verdict.json",
            "sudo diskwright bench /dev/sdX --scratch --shingled --quick --confirm SERIAL",
        ),
        (t("No byte changes, even with --shingled, but a shingled drive is slow for a while afterwards."),),
    ),
    CommandRow(
        "trial",
        t("compare filesystems in a drive's free space"),
        "measure:trial",
        (
            DRIVE,
            WORKLOAD,
            FS,
            Argument(
                "--with FS,...",
                t("filesystems to compare with (default: the next in the ranking)"),
                dest="others",
            ),
            Argument(
                "--misaligned",
                t("compare with itself on a misaligned partition, starting at sector 34"),
                excludes="--with",
            ),
            Argument("--rounds N", t("maximum number of rounds, 6 to 24 (24)"), convert="builtins:int"),
            Argument("--seconds N", t("time limit in seconds (90 per filesystem)"), convert="builtins:float"),
            MOST_BYTES,
            Argument("--aged", t("first fill each volume to 85 % and delete half, three times")),
            CONFIRM_ONCE,
            JSON,
            OUTPUT,
        ),
        (
            "sudo diskwright trial /dev/sdX --workload small-files",
            "sudo diskwright trial /dev/sdX --workload small-files --with xfs,btrfs --aged --confirm SERIAL",
            "sudo diskwright trial /dev/sdX --workload small-files --misaligned --confirm SERIAL",
        ),
        (
            t(
                "Creates each filesystem at the planned position of the volume, and runs the workload "
                "there. Writes only in free space. Deleted files there are lost for good; tables and "
                "partitions do not change."
            ),
        ),
    ),
)

_ITSELF = (
    CommandRow(
        "install",
        t("install missing tools with your package manager"),
        "install:install_tools",
        (
            Argument("names NAME+", t("a program, such as mkfs.exfat, or a package")),
            Argument("--yes", t("do not ask")),
        ),
        ("sudo diskwright install mkfs.exfat", "sudo diskwright install cryptsetup lvm2 --yes"),
        (
            t(
                "Installs packages and dependencies, after one question that shows the size. Never removes "
                "packages."
            ),
        ),
    ),
    CommandRow(
        "demo",
        t("try the wizard on a disposable drive"),
        "open_wizard:demo",
        (
            replace(PLAIN, group="way"),
            Argument("--by-itself", t("do not ask"), group="way"),
        ),
        ("sudo diskwright demo", "sudo diskwright demo --plain", "sudo diskwright demo --by-itself"),
        (
            t(
                "The drive is a sparse file on a loop device. No other drive is touched, and no trace "
                "remains, not even in /etc/fstab. Without a terminal, the demo runs unattended, and exits "
                "with 0 only if all checks pass."
            ),
        ),
    ),
)

GROUPS = {
    t("Inspect and advise"): _LOOKING,
    t("Measure"): _MEASURING,
    t("Plan"): PLANNING,
    t("Change drives"): CHANGING,
    t("Runs"): RUNS,
    t("This system"): _ITSELF,
}
"""Commands by heading."""

COMMANDS = {one.name: one for commands in GROUPS.values() for one in commands}
ROWS = {WIZARD.name: WIZARD} | COMMANDS
