"""The sentences of what stands between the faces and the rooms."""

from wizard.model.said import Sentence

NOBODY_KNOWN = Sentence(
    "services.nobody-known", "{name} cannot be looked up on a recorded machine: say everyone or root."
)
NOT_RECORDED = Sentence(
    "services.not-recorded",
    "This recording does not hold what moving to ext4 needs: it can be looked at only on the machine itself.",
)
RECORDING = Sentence(
    "services.recording",
    "These drives are a recording ({file}). A plan can be made and saved here, but nothing can be measured "
    "or applied.",
)
NO_WAY = Sentence("services.no-way", "No way to ext4 was chosen.")
OTHER_DRIVE = Sentence("services.other-drive", "{drive} is not the drive of this demo.")
ROOM_UNKNOWN = Sentence(
    "services.room-unknown", "In doubt: how much room the way back takes is not known. {why}"
)
AS_ROOT = Sentence("services.as-root", "Only root can look into it. As root:")

ALONE = Sentence("services.alone", "On this drive alone")
MIRROR_BTRFS = Sentence(
    "services.mirror-btrfs", "Mirrored by Btrfs: two copies, survives the loss of one drive"
)
MIRROR_MD = Sentence("services.mirror-md", "Mirrored by md (RAID1): a copy on each, survives all but one")
STRIPE_BTRFS = Sentence("services.stripe-btrfs", "Striped by Btrfs (RAID0): fast, lost with any one drive")
STRIPE_MD = Sentence("services.stripe-md", "Striped by md (RAID0): fast, lost with any one drive")
STRIPE_LVM = Sentence("services.stripe-lvm", "Striped by LVM: fast, lost with any one drive")

ONE_VOLUME = Sentence(
    "services.one-volume", "Several drives hold one volume together: take the others off the list first."
)
ARRANGED = Sentence(
    "services.arranged",
    "Every one of several drives gets a GPT, and no volume group of its own: choose that first.",
)
TAKEN_WHOLE = Sentence(
    "services.taken-whole", "Several drives together are taken whole: nothing on them is kept."
)
FURTHER_FIRST = Sentence("services.further-first", "Take a further drive first.")
LOST = Sentence(
    "services.lost",
    "All that {drives:and} holds will be lost when you keep what the plan makes. "
    "With LVM it is lost when the plan is applied.",
    "All that {drives:and} hold will be lost when you keep what the plan makes. "
    "With LVM it is lost when the plan is applied.",
)
LIES_ALONE = Sentence("services.lies-alone", "{drive} alone")
LIES_MIRRORED = Sentence("services.lies-mirrored", "{drives:and}, mirrored by {by}")
LIES_STRIPED = Sentence("services.lies-striped", "{drives:and}, striped by {by}")
ONLY_ROOT = Sentence("services.only-root", "Only root can go on with it: sudo diskwright resume {run}")
ONLY_ROOT_WRITES = Sentence("services.only-root-writes", "Only root can measure and write drives.")
NO_WAY_TO_ROOT = Sentence(
    "services.no-way-to-root",
    "{why} Neither sudo, run0 nor pkexec is here to ask for it. Nothing was written.",
)
