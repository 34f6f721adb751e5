"""What is said of moving a partition."""

from wizard.model.said import Sentence

IMAGES_DAMAGED = Sentence(
    "apply.move.images-damaged",
    "The journal on the drive is damaged: what it keeps of the partition's beginning cannot be trusted.",
)
