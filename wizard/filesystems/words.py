"""What is said of filesystems: where each belongs, why some are not made, and the way off those."""

from wizard.model.said import Sentence

NO_ZONES = Sentence("{title} has no code for zones")

# The types of partitions, as partitioners call them.
