"""What is said of drives that are other ones than a plan or a run knows, or are elsewhere."""

from wizard.model.said import Sentence

# Another drive than the plan's; `where` says what to do.

# What tells two drives apart: clauses of the sentences above.

# Where the plan's drive is, and what to do.

# Where a run's drive is, and what to do.
MAYBE_ANOTHER = Sentence(
    "{drive} may be another drive: it does not contain what the run {run} left on its drive. {where} Nothing "
    "was written."
)

# A run's drive that was found by another name.
