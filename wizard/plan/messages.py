"""Messages about layouts."""

from wizard.model.said import Sentence, Sentences, t

UNREAD = Sentences(
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AS_ROOT = t("Create the plan as root:")
RECORD_AS_ROOT = t("Record the machine as root: sudo diskwright inspect --save FILE")
AGAIN_AS_ROOT = t("Create the plan again as root, when the drive is readable.")


INCONSISTENT = Sentence("{where} is inconsistent: invalid {what}. {again}")
"""A document differs from what diskwright would write. `what` is the place in the document."""

# Why planning is not possible.
NO_LVM = Sentence("LVM volumes are unavailable")
NO_CRYPT = Sentence("encrypted volumes cannot be opened")
NO_RAID0 = Sentence("md cannot stripe")
NO_RAID1 = Sentence("md cannot mirror")

# Doubts about a plan.
FORGOTTEN = t(
    "This system runs from an image or in memory and may lose the boot mount "
    "configuration on shutdown. Everything else remains on the drive."
)
IN_CONTAINER = t(
    "This system runs in a container, which rarely mounts drives from its own "
    "fstab at startup. Everything else remains on the drive."
)
MAY_BE_SHINGLED = t("Unknown if the drive is shingled (SMR). Shingled drives slow down during long writes.")
