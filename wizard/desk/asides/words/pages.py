"""The sentences of pages that are read: help, words, reasons, and steps with their commands."""

from wizard.model.said import t

# Help.

# What words mean.

# Reasons.
SOURCE = t("Source:")
UNDO = t("Undo:")
DESTROYS = t("Destroys:")
CHECKED = t("Checked afterwards:")

# Published figures.

# Where a partition starts.

# A measurement.
