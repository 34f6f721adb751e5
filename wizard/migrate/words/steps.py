"""What is said of each step of a migration."""

from wizard.model.said import t

# What it does.

# How it is undone.

# If the power goes meanwhile.

# What is checked afterwards.
SOUND = t("e2fsck finds nothing that is wrong.")
