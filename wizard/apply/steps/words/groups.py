"""What is said of LVM's volume groups and logical volumes."""

from wizard.model.said import Sentence, t

# Whether a name is free, and whether what is there is the run's own.
HAS_MORE = Sentence("The volume group {name} was not touched: it has {names}, which this run did not make.")
NOT_APART = Sentence("{node} could not be taken apart: {name} is not the volume group that this run made.")

# How making one ends.

# Checks, and what they saw.
SAME = t("no difference")
