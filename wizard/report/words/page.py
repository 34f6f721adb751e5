"""What is said on the page as a whole, where its parts come from, and of the log."""

from wizard.model.said import t

NO_DRIVE = t("no drive")
