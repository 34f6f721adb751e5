"""Commands that plan, and write to no drive."""

from msgspec.structs import replace

from wizard.cli import command
from wizard.cli.command import Argument, CommandRow
from wizard.model.said import t

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
        Argument("--restore-table", t("write the lost table back around the contents found"), group="what"),
        Argument("--fs FS", t("filesystem (default: the recommended one)")),
        Argument("--label LABEL", t("the volume's label")),
        Argument("--mount DIR", t("mount point, now and at every boot; none for none")),
        replace(command.WRITABLE, convert=""),
        Argument("--option ID+", t("add an option of `diskwright options`; repeatable")),
        Argument("--encrypt", t("encrypt with LUKS2")),
        Argument("--danger PHRASE+", t("accept the danger of an option by typing it; repeatable")),
        Argument(
            "--table",
            t("type of a new table: gpt, or mbr for firmware without GPT support (default: gpt)"),
            choices=("gpt", "mbr"),
        ),
        Argument(
            "--stripe",
            t("stripe the volume over all drives"),
            choices="wizard.plan.raid.striping:FILESYSTEMS",
            group="spread",
        ),
        Argument(
            "--mirror",
            t("mirror the volume on all drives"),
            choices="wizard.plan.raid.striping:FILESYSTEMS",
            group="spread",
        ),
        Argument("--lvm", t("on one drive: put all volumes into an LVM volume group"), group="spread"),
        Argument("--chunk SIZE", t("with --stripe md: chunk size (512K)")),
        Argument(
            "--metadata",
            t("with --stripe btrfs: metadata profile (raid1)"),
            choices="wizard.plan.raid.striping:METADATA",
        ),
        command.OUTPUT,
        command.MACHINE,
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
    probes=True,
)

PLANNING = (
    _PLAN,
    CommandRow(
        "tune",
        t("suggest better settings for an existing filesystem"),
        "changes:tune",
        (command.VOLUME, command.WRITABLE, command.WORKLOAD, command.OUTPUT, command.FSTAB, command.JSON),
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
        probes=True,
    ),
    CommandRow(
        "migrate",
        t("compare conversions from ext2 or ext3 to ext4, or save one as a plan"),
        "changes:migrate",
        (
            command.VOLUME,
            Argument(
                "--way",
                t("plan this conversion (default: compare all)"),
                choices="wizard.plan.changes:Way",
            ),
            Argument("--manifest", t("compare content and attributes of every file before and after")),
            Argument("--repair", t("repair damage, if the repair can be undone")),
            command.FSTAB,
            *command.STARTS,
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
        probes=True,
        begins=True,
    ),
    CommandRow(
        "show",
        t("show a plan: before, after, and all commands"),
        "start:show_document",
        (command.PLAN_FILE, command.JSON),
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
            command.FSTAB,
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
