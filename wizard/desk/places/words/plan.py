"""The plan, on one screen."""

from wizard.model.said import t

DOUBT = t("In doubt:")
