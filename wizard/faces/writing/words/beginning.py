"""What is said before a run that one token confirms: of changes, or of a migration."""

from wizard.model.said import t

# Changes.
ITS_DRIVE = t("its drive")
ONE_DRIVE = t("These changes are for one drive")
