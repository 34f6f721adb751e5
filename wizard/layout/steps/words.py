"""What the steps of a plan do."""

from wizard.model.said import Sentences

# What is written without a command.


# What a step destroys.

# How a step is undone.


# What is checked when a step is done.
RECOGNISED = Sentences(
    "{devices:and} is recognised as {what} with UUID {uuid}.",
    "{devices:and} are recognised as {what} with UUID {uuid}.",
)
