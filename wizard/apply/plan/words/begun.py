"""What is said when a run of a plan is begun, and why it is not."""

from wizard.model.said import Sentence

APPLYING = Sentence(
    "apply.plan.begun.applying",
    "Applying {count} step to {drives:list}.",
    "Applying {count} steps to {drives:list}.",
)

# What confirms it.
ALSO_WORD = Sentence(
    "apply.plan.begun.also-word", "To go on like that, say also --confirm {word}. Nothing was written."
)
TOKEN = Sentence(
    "apply.plan.begun.token",
    "To confirm that {drive} is to be overwritten, give its token with {option}. Nothing was written.",
)
WRONG_TOKEN = Sentence(
    "apply.plan.begun.wrong-token",
    "To confirm that {drive} is to be overwritten, give its token with {option}: '{wrong}' is not its token. "
    "Nothing was written.",
)
EACH_TOKEN = Sentence(
    "apply.plan.begun.each-token",
    "To confirm that {drives:list} are to be overwritten, give the token of each with {options:row}. Every "
    "drive needs its own, once. Nothing was written.",
)
NO_TOKEN = Sentence(
    "apply.plan.begun.no-token",
    "To confirm that {drives:list} are to be overwritten, give the token of each with {options:row}. "
    "'{wrong}' is the token of none of them. Nothing was written.",
)

# The passphrase.
NO_USE = Sentence(
    "apply.plan.begun.no-use",
    "A passphrase was given, and this plan encrypts nothing. Nothing was written.",
)
WANTS_PASSPHRASE = Sentence(
    "apply.plan.begun.wants-passphrase",
    "The plan encrypts {devices:list}: it wants a passphrase. Nothing was written.",
)
BAD_PASSPHRASE = Sentence("apply.plan.begun.bad-passphrase", "The passphrase {fault}. Nothing was written.")
