"""What is said of a plan as a whole: what lies where, what goes, and until when it can be put back."""

from wizard.model.said import t

# Until when what is on the drives can be put back.

# What goes.

# What lies where.
TURNED_ON = t("turned on")

# The steps.
