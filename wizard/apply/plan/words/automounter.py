"""What is said of programs that mount and unmount whatever appears."""

from wizard.model.said import Sentence

HIDDEN = Sentence(
    "apply.plan.automounter.hidden",
    "Another program mounted {device} at {place}, where {other} hides it: nothing was unmounted.",
)
BUSY = Sentence(
    "apply.plan.automounter.busy", "Another program mounted {device} at {place} while the run was at work:"
)
LET_GO = Sentence(
    "apply.plan.automounter.let-go",
    "Another program had mounted {device} at {place}; it was unmounted, to be done as planned.",
)
LOST = Sentence(
    "apply.plan.automounter.lost",
    "Every check held, but another program unmounted {places:list} as soon as the drive was free, and again.",
)
NOT_AGAIN = Sentence(
    "apply.plan.automounter.not-again",
    "{place} was unmounted by another program, and could not be mounted again:",
)
AGAIN = Sentence(
    "apply.plan.automounter.again",
    "{place} was unmounted by another program when the drive was free; mounted again.",
)
