"""How partitions, and what stands in them, lie on a drive's blocks."""

from wizard.model.said import Sentence

# Where it starts.
ALL_FINE = Sentence(
    "diagnose.alignment.all-fine",
    "All {count} partitions of {drive} start on the drive's {block}-byte blocks and on 1 MiB, and so does "
    "their data.",
)
SOME_FINE = Sentence(
    "diagnose.alignment.some-fine",
    "{fine} of the {count} partitions of {drive} start on its {block}-byte blocks and on 1 MiB; their "
    "data too.",
)
FINE = Sentence(
    "diagnose.alignment.fine",
    "{place} starts at byte {start}, on the drive's {block}-byte blocks and on 1 MiB.",
)
FINE_WHOLE = Sentence(
    "diagnose.alignment.fine-whole", "{place} starts at byte {start}, on the drive's {block}-byte blocks."
)
DATA_FINE = Sentence("diagnose.alignment.data-fine", "{data:First} starts on a boundary too.")
DATA_FINE_AT = Sentence(
    "diagnose.alignment.data-fine-at", "{data:First} starts at byte {start}, on a boundary too."
)
ALL_DATA_FINE = Sentence(
    "diagnose.alignment.all-data-fine", "So does all data in it, the first being {data}."
)
ALL_DATA_FINE_AT = Sentence(
    "diagnose.alignment.all-data-fine-at", "So does all data in it, the first being {data} at byte {start}."
)
FIRST_BYTE = Sentence(
    "diagnose.alignment.first-byte",
    "{drive} is misaligned: its data starts at byte 0, {missing} bytes before a boundary of its "
    "{block}-byte blocks.",
)
PHYSICAL = Sentence(
    "diagnose.alignment.physical",
    "{partition} is misaligned: it starts at byte {start}, {missing} bytes before the next {block}-byte "
    "physical block.",
)
MINIMUM_IO = Sentence(
    "diagnose.alignment.minimum-io",
    "{partition} is misaligned: it starts at byte {start}, {missing} bytes before a boundary of {unit} "
    "bytes, the minimum I/O size.",
)
HIDDEN = Sentence(
    "diagnose.alignment.hidden",
    "{partition} starts at byte {start}, {off} bytes past a multiple of 4096. The drive reports "
    "{block}-byte physical blocks.",
)
GRAIN = Sentence(
    "diagnose.alignment.grain", "{partition} starts at byte {start}: on the drive's blocks, but not on 1 MiB."
)
END = Sentence(
    "diagnose.alignment.end",
    "{partition} ends at byte {end}, {past} bytes into a physical block of {block} bytes.",
)

# What that means.
NO_SPLIT = Sentence(
    "diagnose.alignment.no-split",
    "No write is split over physical blocks because of where the data starts.",
)
BIOS_BOOT = Sentence(
    "diagnose.alignment.bios-boot",
    "It costs nothing: a BIOS boot partition is written only when a boot loader is installed.",
)
TWO_UNITS = Sentence(
    "diagnose.alignment.two-units",
    "A write that looks whole straddles two units of the drive or array. A parity array reads and writes "
    "both again for each.",
)
END_WHY = Sentence(
    "diagnose.alignment.end-why",
    "Its last bytes share a physical block with what follows. Filesystems with blocks as large leave them "
    "unused; others make the drive read that block before it writes.",
)
COST_OF_WEAR = Sentence(
    "diagnose.alignment.cost-of-wear",
    "On a solid-state drive that costs wear, and less time than on a hard disk. How much differs from "
    "drive to drive.",
)
COST_OF_TIME = Sentence(
    "diagnose.alignment.cost-of-time", "On a hard disk of 2010 it made mkfs take up to 7.9 times as long."
)
LARGER_ERASE_BLOCKS = Sentence(
    "diagnose.alignment.larger-erase-blocks",
    "The drive's own rule holds. Larger units that no drive reports, such as erase blocks, may still be "
    "straddled.",
)
LARGER_STRIPES = Sentence(
    "diagnose.alignment.larger-stripes",
    "The drive's own rule holds. Larger units that no drive reports, such as an array's stripes or a "
    "controller's cache, may be straddled.",
)

# What to do.
MOVE = Sentence(
    "diagnose.alignment.move",
    "Move it: `sudo diskwright move {partition}`. Every file stays, and a power cut costs nothing. It must "
    "not "
    "be in use meanwhile.",
)
ANEW_WITH_PARTITION = Sentence(
    "diagnose.alignment.anew-with-partition",
    "Copy the data elsewhere, set the drive up anew with a partition, and copy it back.",
)
MEASURE = Sentence(
    "diagnose.alignment.measure", "To test: `diskwright bench {drive} --assume-physical 4096`."
)
GRAIN_LATER = Sentence(
    "diagnose.alignment.grain-later", "Nothing to do for this alone; a new layout starts on 1 MiB."
)

END_REMEDY = Sentence(
    "diagnose.alignment.end-remedy", "Nothing to do for this alone; a new layout ends on 1 MiB."
)

# Who says so.
STUDY = Sentence("diagnose.alignment.study", "an alignment study of 2010 (WD10EARS, Linux 2.6.32)")
KERNEL_AND_STUDY = Sentence(
    "diagnose.alignment.kernel-and-study",
    "Linux, block/blk-settings.c, queue_limit_alignment_offset; an alignment study of 2010 (WD10EARS, "
    "Linux 2.6.32)",
)
GRAIN_OF_TOOLS = Sentence(
    "diagnose.alignment.grain-of-tools", "the grain of 1 MiB that libfdisk and libparted use"
)

# What the kernel says of a stack.
STACK = Sentence(
    "diagnose.alignment.stack",
    "{stack} is misaligned in itself, says the kernel: the devices beneath do not start on each other's "
    "blocks.",
)
STACK_WHY = Sentence(
    "diagnose.alignment.stack-why",
    "No start on it is right for every device beneath, so writes straddle physical blocks somewhere.",
)
STACK_SOURCE = Sentence(
    "diagnose.alignment.stack-source", "Linux, Documentation/ABI/stable/sysfs-block, alignment_offset of -1"
)
STACK_REMEDY = Sentence(
    "diagnose.alignment.stack-remedy",
    "Build the array or volume again on aligned partitions. Findings on the drives beneath {path} say "
    "which are not.",
)
LED_ASTRAY = Sentence(
    "diagnose.alignment.led-astray",
    "The kernel calls {path} ({kind}) misaligned in itself, which does not tell where it starts on {drive}.",
)
LED_ASTRAY_WHY = Sentence(
    "diagnose.alignment.led-astray-why",
    "The kernel says so of every stack over {drive}. The optimal I/O size it reports, {optimal} bytes, is "
    "no multiple of its {block}-byte physical blocks. The sum of the offsets decides.",
)
LED_ASTRAY_SOURCE = Sentence(
    "diagnose.alignment.led-astray-source", "Linux, block/blk-settings.c, blk_stack_limits"
)
LED_ASTRAY_REMEDY = Sentence(
    "diagnose.alignment.led-astray-remedy",
    "Nothing to do for this alone; the other findings say whether the data starts on a boundary.",
)
