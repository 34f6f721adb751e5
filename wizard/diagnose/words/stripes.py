"""Whether a filesystem is laid out for the array that it stands on."""

from wizard.model.said import Sentence

STRIPING = Sentence("diagnose.stripes.striping", "{unit} bytes a chunk and {width} a full stripe")
NO_UNIT = Sentence("diagnose.stripes.no-unit", "an unknown number of bytes a chunk and {width} a full stripe")
NO_WIDTH = Sentence("diagnose.stripes.no-width", "{unit} bytes a chunk and an unknown number a full stripe")

FITS = Sentence("diagnose.stripes.fits", "{filesystem} on {device} fits its array {array}: {striping}.")
UNAWARE = Sentence(
    "diagnose.stripes.unaware",
    "{filesystem} on {device} is not laid out for its array {array}, which has {striping}.",
)
OTHER = Sentence(
    "diagnose.stripes.other",
    "{filesystem} on {device} does not fit its array {array}. It is laid out for {stated}; the array has "
    "{striping}.",
)
BOGUS = Sentence(
    "diagnose.stripes.bogus",
    "{filesystem} on {device} is laid out for {stated}. mkfs believed the drive's impossible optimal I/O "
    "size of {optimal} bytes.",
)
NO_ARRAY = Sentence(
    "diagnose.stripes.no-array",
    "{filesystem} on {device} is laid out for {stated}, but no array is seen beneath it.",
)

WHY = Sentence(
    "diagnose.stripes.why",
    "By these numbers the filesystem spreads its tables over the drives and gathers writes to full "
    "stripes. Wrong ones give one drive more work, and make an array with parity read before it writes.",
)
BOGUS_WHY = Sentence(
    "diagnose.stripes.bogus-why",
    "The drive's number is wrong, not the filesystem: there is no stripe of that width to fill.",
)
NO_ARRAY_WHY = Sentence(
    "diagnose.stripes.no-array-why",
    "It may have been copied from an array. Or a controller hides one, and the numbers may be right.",
)
SOURCE = Sentence(
    "diagnose.stripes.source",
    "the filesystem's superblock; md's superblock, LVM's metadata and the queue limits of the kernel; "
    "mke2fs(8), xfs(5)",
)

TAKE_OUT = Sentence(
    "diagnose.stripes.take-out",
    "`tune2fs -E stride=0,stripe_width=0 {device}` removes the numbers; it changes no data.",
)
NO_ALIGN = Sentence("diagnose.stripes.no-align", "Mounted with `noalign`, XFS ignores the numbers.")
IF_NO_ARRAY = Sentence("diagnose.stripes.if-no-array", "Only where no controller hides an array: {remedy}")
NEVER_FITS = Sentence(
    "diagnose.stripes.never-fits",
    "Only a new filesystem can fit: this one's blocks do not divide the array's chunks.",
)
TUNE = Sentence(
    "diagnose.stripes.tune",
    "`tune2fs -E stride={stride},stripe_width={width} {device}` corrects it for new writes; then mount it "
    "anew.",
)
MOUNT = Sentence(
    "diagnose.stripes.mount",
    "`mount -o sunit={sunit},swidth={swidth}` (in units of 512 bytes), once. XFS keeps them.",
)
ANEW = Sentence(
    "diagnose.stripes.anew",
    "XFS cannot change it later. A new one made with `mkfs.xfs -d su={unit},sw={drives}` fits.",
)
