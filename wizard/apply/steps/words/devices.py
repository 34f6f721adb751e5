"""What is said of any device that a step works on, and of the commands that it runs."""

from wizard.model.said import Sentence

NO_NODE = Sentence("apply.steps.devices.no-node", "The node {node} did not appear.")
IN_USE = Sentence("apply.steps.devices.in-use", "{node} is in use: {why}.")
NOT_TOUCHED = Sentence("apply.steps.devices.not-touched", "{node} was not touched: {why}.")
NOT_PLANNED = Sentence(
    "apply.steps.devices.not-planned",
    "{device} does not contain the planned {kind} (UUID {uuid}). Another drive may have that name now.",
)
ELSEWHERE_NOW = Sentence(
    "apply.steps.devices.elsewhere-now",
    "{device} does not contain the planned {kind} (UUID {uuid}): {others:list} does. Another drive has that "
    "name now.",
)
CLONE = Sentence(
    "apply.steps.devices.clone",
    "{device} and {other} have the same UUID ({uuid}), so either could be mounted at the next start. Detach "
    "{other}, or give it another UUID.",
)
NOT_READ = Sentence("apply.steps.devices.not-read", "{file} could not be read: {why}.")
NOT_READ_AGAIN = Sentence("apply.steps.devices.not-read-again", "{drive} could not be read again: {why}")
FAILED_CHECK = Sentence("apply.steps.devices.failed-check", "{what}: {seen}.")
WIPEFS_UNREADABLE = Sentence(
    "apply.steps.devices.wipefs-unreadable", "wipefs said of {device} what diskwright cannot read: {said}"
)
SAVED = Sentence("apply.steps.devices.saved", "Saved {places} of {drive}.")
ENDED = Sentence("apply.steps.devices.ended", "{program} ended with status {status} after {seconds:.1f} s.")
