"""What stands in a partition, a container or an array, and where it starts."""

from wizard.model.said import Sentence

# Names of places and of the parts of a sum.
MEMBER = Sentence("diagnose.inside.member", "the RAID member")
DATA_OF = Sentence("diagnose.inside.data-of", "the data of {container} in {device}")
PARTITION = Sentence("diagnose.inside.partition", "partition")
MEMBER_TERM = Sentence("diagnose.inside.member-term", "RAID member")
TERM = Sentence("diagnose.inside.term", "{bytes} ({what})")

# Off, and made up for.
OFF = Sentence("diagnose.inside.off", "{place:First} starts off {blocks}.")
OFF_AT = Sentence("diagnose.inside.off-at", "{place:First} starts at byte {start}, off {blocks}.")
MADE_UP = Sentence(
    "diagnose.inside.made-up",
    "What it holds makes up for that: {data} starts at byte {start} = {terms:sum}, on a boundary.",
)
MADE_UP_BY_KERNEL = Sentence(
    "diagnose.inside.made-up-by-kernel",
    "What it holds makes up for that: {data} starts on a boundary, as the kernel adds it up.",
)
MADE_UP_WHY = Sentence(
    "diagnose.inside.made-up-why",
    "The start of the data decides, not that of what holds it. Only the few writes to the headers "
    "straddle blocks.",
)

# Off.
INSIDE = Sentence(
    "diagnose.inside.inside",
    "{place:First} is misaligned: it starts {off} bytes before the next boundary of {blocks}.",
)
INSIDE_AT = Sentence(
    "diagnose.inside.inside-at",
    "{place:First} is misaligned: it starts at byte {start} of the drive, {off} bytes before the next "
    "boundary of {blocks}.",
)
SUM = Sentence("diagnose.inside.sum", "That is {terms:sum}.")
HOLDER_FINE = Sentence("diagnose.inside.holder-fine", "{holder:First} itself starts on a boundary.")
SOURCE = Sentence(
    "diagnose.inside.source",
    "Linux, block/blk-settings.c, queue_limit_alignment_offset, with the sum of all offsets as the start",
)
ANEW = Sentence(
    "diagnose.inside.anew",
    "Moving the partition does not help. Copy the data elsewhere, make what holds it anew, and copy it back.",
)
ANEW_LVM = Sentence(
    "diagnose.inside.anew-lvm",
    "`pvcreate --dataalignment 1m` (and no --dataalignmentoffset) starts LVM's data on 1 MiB.",
)
ANEW_LUKS = Sentence(
    "diagnose.inside.anew-luks",
    "`cryptsetup luksFormat` without --offset and --align-payload lets LUKS choose an aligned place.",
)
ANEW_MD = Sentence(
    "diagnose.inside.anew-md",
    "`mdadm --create` without --data-offset, or with one in whole MiB, starts the data on 1 MiB.",
)
ANEW_OTHER = Sentence("diagnose.inside.anew-other", "Its own tool must be told where the data starts.")

# On an array.
OFF_CHUNK = Sentence(
    "diagnose.inside.off-chunk",
    "{place:First} starts at byte {start} of the array {array}, {off} bytes past the start of a "
    "{unit}-byte chunk.",
)
OFF_STRIPE = Sentence(
    "diagnose.inside.off-stripe",
    "{place:First} starts at byte {start} of the array {array}, {off} bytes past the start of a "
    "{width}-byte full stripe.",
)
OFF_CHUNK_WHY = Sentence(
    "diagnose.inside.off-chunk-why",
    "Writes that a filesystem lays out for whole chunks straddle two, and go to two drives instead of one.",
)
OFF_STRIPE_WHY = Sentence(
    "diagnose.inside.off-stripe-why",
    "Writes that a filesystem lays out for full stripes straddle two. The array then reads before it "
    "writes parity.",
)
ARRAY_SOURCE = Sentence(
    "diagnose.inside.array-source",
    "Linux, block/blk-settings.c: minimum_io_size and optimal_io_size of the array's queue, with the "
    "layer's own start",
)
ARRAY_REMEDY = Sentence(
    "diagnose.inside.array-remedy",
    "It costs some speed and no data. If you make it anew, start its data on a multiple of the full "
    "stripe, {width} bytes.",
)
