"""What is said of a migration that is made: why it is refused, and what is good to know of it."""

from wizard.model.said import t

NOTHING_WRITTEN = t("Nothing was written.")

# Refusals.

# Without a transaction.
NO_TRANSACTION = t("A transaction is not possible here:")

# Good to know.
