"""What a drive's block sizes mean, and which of them cannot be believed."""

from wizard.model.said import Sentence

E512 = Sentence("diagnose.geometry.e512", "{drive} takes 512-byte blocks and stores 4096-byte ones (512e).")
E512_WHY = Sentence(
    "diagnose.geometry.e512-why",
    "A write that starts or ends within a physical block makes the drive read, change and write it again.",
)
E512_SOURCE = Sentence(
    "diagnose.geometry.e512-source",
    "physical_block_size and logical_block_size of the kernel's block queue",
)
E512_REMEDY = Sentence(
    "diagnose.geometry.e512-remedy", "Nothing to do: every layout made here starts on a whole MiB."
)
E512_OFFSET_REMEDY = Sentence(
    "diagnose.geometry.e512-offset-remedy",
    "Nothing to do: every layout made here starts on a whole MiB and {offset} bytes, as this drive needs.",
)

E512_STACK_REMEDY = Sentence(
    "diagnose.geometry.e512-stack-remedy",
    "No start is right for all devices beneath, as another finding says: put those right first.",
)
LARGE = Sentence(
    "diagnose.geometry.large", "{drive} has physical blocks of {block} bytes, and takes blocks of {logical}."
)
LARGE_WHY = Sentence(
    "diagnose.geometry.large-why",
    "Filesystems mostly write 4096 bytes at a time. For each of those the drive reads and writes {block} "
    "bytes.",
)
LARGE_SOURCE = Sentence("diagnose.geometry.large-source", "physical_block_size in sysfs")
LARGE_REMEDY = Sentence(
    "diagnose.geometry.large-remedy",
    "Every layout made here starts and ends on its blocks. Keep work with many small writes off it.",
)

KN4 = Sentence("diagnose.geometry.kn4", "{drive} takes only 4096-byte blocks (4Kn).")
KN4_WHY = Sentence(
    "diagnose.geometry.kn4-why",
    "No partition can be misaligned: nothing smaller can be addressed. Old BIOS firmware cannot boot from "
    "it, and images of drives with 512-byte blocks do not fit.",
)
KN4_SOURCE = Sentence("diagnose.geometry.kn4-source", "logical_block_size of the kernel's block queue")
KN4_REMEDY = Sentence(
    "diagnose.geometry.kn4-remedy", "Boot from it by UEFI, and copy files to it, not images of partitions."
)

USB = Sentence("diagnose.geometry.usb", "{drive} is attached by USB and presents 4096-byte blocks.")
USB_WHY = Sentence(
    "diagnose.geometry.usb-why",
    "Some USB bridges do so for drives with 512-byte blocks. Out of its enclosure, such a drive's "
    "partition table cannot be read.",
)
USB_SOURCE = Sentence("diagnose.geometry.usb-source", "known behaviour of USB bridges for drives over 2 TiB")
USB_REMEDY = Sentence(
    "diagnose.geometry.usb-remedy",
    "Keep drive and enclosure together, or set the drive up where it will stay. Software cannot change "
    "what the bridge presents.",
)

BOGUS = Sentence(
    "diagnose.geometry.bogus",
    "{drive} reports an impossible optimal I/O size: {optimal} bytes. It is no multiple of its "
    "{block}-byte blocks, or a counter at its end.",
)
TIMES = Sentence("diagnose.geometry.times", "{optimal} is {times} times 512.")
TIMES_AT_END = Sentence(
    "diagnose.geometry.times-at-end", "{optimal} is {times} times 512, a counter at its end."
)
PARTED = Sentence(
    "diagnose.geometry.parted",
    "parted believes it and is wrong: `mkpart 0%` starts at block {first}, {lies}. It calls that optimal, "
    "and 1 MiB not aligned.",
)
PARTED_FAR = Sentence(
    "diagnose.geometry.parted-far", "parted believes it and is wrong: it calls 1 MiB not aligned."
)
BEFORE = Sentence(
    "diagnose.geometry.before", "{missing} bytes before a boundary of the drive's {block}-byte blocks"
)
OFF_GRAIN = Sentence("diagnose.geometry.off-grain", "off 1 MiB")
ALIGNED = Sentence("diagnose.geometry.aligned", "aligned")
LVM = Sentence("diagnose.geometry.lvm", "LVM believes it too and starts its data on a multiple of {area}.")
FDISK = Sentence("diagnose.geometry.fdisk", "fdisk and sfdisk ignore it and are right with 1 MiB.")
BOGUS_SOURCE = Sentence(
    "diagnose.geometry.bogus-source",
    "libparted/arch/linux.c, linux_get_optimum_alignment; lvm2 lib/metadata/metadata.c, set_pe_align; "
    "util-linux issue 1221; truenas/middleware issue 16663 (kernels from 6.12 round it to 16776704)",
)
BOGUS_REMEDY = Sentence(
    "diagnose.geometry.bogus-remedy",
    "Nothing to do here: diskwright ignores it. Give parted starts in MiB and no percentages. Give LVM "
    "`pvcreate --config devices/data_alignment_detection=0`.",
)
