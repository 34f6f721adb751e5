"""What `diskwright plan --help` says."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.showing.plan_options.says",
    "Plan a layout, show it, and save it. Writes nothing to the drive.",
)

DEVICES = Sentence(
    "faces.showing.plan_options.devices",
    "a whole drive, such as /dev/sdb, or one partition, such as /dev/sdb2; several drives with --stripe or "
    "--mirror",
)
REPLACE = Sentence("faces.showing.plan_options.replace", "erase all content of the drive")
USE_FREE = Sentence("faces.showing.plan_options.use-free", "preserve every partition; use only free space")
VOLUME = Sentence("faces.showing.plan_options.volume", "a volume: {keys:list}; may be repeated")
WORKLOAD = Sentence("faces.showing.plan_options.workload", "one volume over everything, for this workload")
PRESET = Sentence("faces.showing.plan_options.preset", "volumes for a desktop system, with usual sizes")
DELETE = Sentence("faces.showing.plan_options.delete", "delete the partition DEVICE, such as /dev/sdb2")
GROW = Sentence(
    "faces.showing.plan_options.grow",
    "grow the partition DEVICE and its filesystem into free space",
)
GROW_TO = Sentence(
    "faces.showing.plan_options.grow-to",
    "grow to this size",
)
SHRINK = Sentence(
    "faces.showing.plan_options.shrink",
    "shrink the partition DEVICE and its ext2, ext3, ext4, Btrfs or NTFS to this size, with all files",
)
FS = Sentence("faces.showing.plan_options.fs", "with --workload: filesystem (default: the recommended one)")
LABEL = Sentence("faces.showing.plan_options.label", "with --workload: the volume's label")
MOUNT = Sentence(
    "faces.showing.plan_options.mount",
    "with --workload: where it is mounted, now and at every start; {nowhere} for nowhere",
)
WRITABLE = Sentence(
    "faces.showing.plan_options.writable",
    "with --workload: who may write: a user, group:NAME, everyone, root",
)
OPTION = Sentence("faces.showing.plan_options.option", "with --workload: add this option; repeatable")
ENCRYPT = Sentence("faces.showing.plan_options.encrypt", "with --workload: encrypt with LUKS2")
DANGER = Sentence(
    "faces.showing.plan_options.danger", "accept the danger of an option by typing it; repeatable"
)
TABLE = Sentence(
    "faces.showing.plan_options.table",
    "the kind of a new table: gpt, or mbr for firmware that knows nothing else (usual: gpt)",
)
STRIPE = Sentence("faces.showing.plan_options.stripe", "with --workload: stripe the volume over all drives")
MIRROR = Sentence("faces.showing.plan_options.mirror", "with --workload: mirror the volume on all drives")
LVM = Sentence("faces.showing.plan_options.lvm", "on one drive: put all volumes into an LVM volume group")
CHUNK = Sentence(
    "faces.showing.plan_options.chunk",
    "with --stripe md or lvm: chunk size (512K)",
)
METADATA = Sentence("faces.showing.plan_options.metadata", "with --stripe btrfs: metadata profile (raid1)")
OUTPUT = Sentence("faces.showing.plan_options.output", "save the plan in this file")

ABOUT_WRITING = Sentence(
    "faces.showing.plan_options.about-writing",
    "This command writes nothing to a drive. A drive that holds anything is refused until you say "
    "--replace or --use-free.",
)
ABOUT_SIZES = Sentence(
    "faces.showing.plan_options.about-sizes",
    "A size is such as 500G, 30% (of all the room that can be used) or rest. A volume without a size "
    "takes all that is left. `diskwright workloads` lists the purposes.",
)
ABOUT_PART = Sentence(
    "faces.showing.plan_options.about-part",
    "A partition, such as /dev/sdX2, is formatted in its place, or deleted with --delete. With --grow "
    "it gets the free space behind it, with --shrink it gives up its end; its files stay. The other "
    "partitions stay, and may be in use meanwhile.",
)
ABOUT_MOUNTING = Sentence(
    "faces.showing.plan_options.about-mounting",
    "A volume for data is mounted at /srv/LABEL, now and at every start, and you may write to it. You "
    "are whoever called sudo. mount=DIR names another folder, mount=none mounts it nowhere. "
    "writable=WHO says who may write: a user's name, group:NAME, everyone or root. On a drive that is "
    "pulled out, a volume for other systems is left to the desktop. mount= and writable= change that.",
)
ABOUT_PRESET = Sentence(
    "faces.showing.plan_options.about-preset",
    "--preset desktop makes an EFI system partition, swap by the machine's memory, a root and, on larger "
    "drives, a home. It says which --volume words it stands for, to be changed at will.",
)
ABOUT_ROLES = Sentence(
    "faces.showing.plan_options.about-roles",
    "role= in --volume makes one of them: esp, boot, root, home or swap. The partition gets the type by "
    "which firmware and systemd find it, and the usual size if none is given. Nothing of it is mounted "
    "on the running system unless mount= asks for that.",
)
ABOUT_SUBVOLUMES = Sentence(
    "faces.showing.plan_options.about-subvolumes",
    "subvolume=NAME:DIR in --volume makes a subvolume of a Btrfs and mounts it at DIR. Without :DIR it "
    "is made and left unmounted.",
)
ABOUT_OPTIONS = Sentence(
    "faces.showing.plan_options.about-options",
    "--option, or option=ID in --volume, asks for an option that `diskwright options` lists. One that puts "
    "data at risk is refused until its danger is typed back. The refusal says what can be lost and what to "
    "type. A volume that a system lives on never gets one.",
)
ABOUT_ENCRYPTION = Sentence(
    "faces.showing.plan_options.about-encryption",
    "--encrypt, or encrypt=luks2 in --volume, puts the volume into an encrypted container. `diskwright "
    "apply` asks for its passphrase; no plan holds it. Whoever loses it loses what is in the volume. With "
    "key=FILE, too, that file of root's opens it, also at every start.",
)
ABOUT_TABLE = Sentence(
    "faces.showing.plan_options.about-table",
    "--table mbr makes the old table of four partitions, for firmware that knows nothing else. A GPT is "
    "better wherever it is understood. It keeps a second copy of itself with checksums, and names its "
    "partitions. It holds 128 of them, and has no limit at 2 TiB.",
)
ABOUT_LVM = Sentence(
    "faces.showing.plan_options.about-lvm",
    "--lvm puts all volumes into one volume group, on one partition over the room. There they can be made "
    "larger later. Sizes are rounded up to whole pieces of 4 MiB.",
)
ABOUT_STRIPE = Sentence(
    "faces.showing.plan_options.about-stripe",
    "--stripe spreads one volume over all drives that are named, by md (RAID0), LVM or Btrfs itself. "
    "That is fast, and all of it is lost when any one of the drives fails.",
)
ABOUT_MIRROR = Sentence(
    "faces.showing.plan_options.about-mirror",
    "--mirror keeps copies on them, by md (RAID1) or Btrfs itself. That survives the loss of a drive, "
    "has half the room or less, and is no backup.",
)
