"""What is said of encrypted containers: made, opened, closed, and as they should be."""

from wizard.model.said import Sentence

# Before anything is written.
NO_DM_CRYPT = Sentence(
    "apply.steps.containers.no-dm-crypt",
    "This kernel cannot open encrypted volumes: it has no dm-crypt, and no module of it. Nothing was "
    "written.",
)
TAKEN = Sentence(
    "apply.steps.containers.taken", "{opened} is there already: make the plan again. Nothing was written."
)

# The passphrase.
WRONG = Sentence(
    "apply.steps.containers.wrong", "The passphrase is not the one that {device} was encrypted with."
)
WRONG_BEFORE = Sentence(
    "apply.steps.containers.wrong-before",
    "The passphrase is not the one that {device} was encrypted with. Nothing was written.",
)
WRONG_NOW = Sentence(
    "apply.steps.containers.wrong-now",
    "The passphrase is not the one that {device} was encrypted with. Nothing more was written.",
)
NO_PASSPHRASE = Sentence("apply.steps.containers.no-passphrase", "The passphrase was not given.")
CLOSED_SINCE = Sentence(
    "apply.steps.containers.closed-since",
    "{opened} is not open any more, and the passphrase was not given. Nothing more was written.",
)

# Whether what is open is the run's own.
NO_MAPPER = Sentence(
    "apply.steps.containers.no-mapper", "{opened} was not touched: it is nothing of the device mapper's."
)
NOT_OWN = Sentence(
    "apply.steps.containers.not-own", "{opened} was not touched: it is not what {device} opens to."
)
THERE_BEFORE = Sentence(
    "apply.steps.containers.there-before",
    "{opened} was there before this run opened anything: it was not touched.",
)
NOT_OPEN = Sentence("apply.steps.containers.not-open", "{device} is not open.")
UNKNOWN = Sentence("apply.steps.containers.unknown", "The plan has no container with UUID {uuid}.")

# How a step ends.
LINE = Sentence("apply.steps.containers.line", "{file} has the line: {line}")
MADE = Sentence(
    "apply.steps.containers.made",
    "{device} is an encrypted container with UUID {uuid}; its data begin at the planned place.",
)
OPENED = Sentence("apply.steps.containers.opened", "{opened} is what {device} opens to, and nothing else.")
NOT_KEPT = Sentence("apply.steps.containers.not-kept", "{folder} could not be written: {why}.")
MAY_BE_OPEN = Sentence("apply.steps.containers.may-be-open", "{opened} may still be open: {why}")
CLOSED = Sentence("apply.steps.containers.closed", "{opened} was closed, since the run ends here.")
UNREADABLE = Sentence(
    "apply.steps.containers.unreadable", "cryptsetup said what diskwright cannot read: {said}"
)

# Checks, and what they saw.
OPENS_TO = Sentence("apply.steps.containers.opens-to", "{opened} is what {device} opens to")
ALONE = Sentence("apply.steps.containers.alone", "{node}, on {device} alone")
CLOSED_NOW = Sentence("apply.steps.containers.closed-now", "it is not open")
ONE_LINE = Sentence("apply.steps.containers.one-line", "crypttab has exactly one line for {name}")
FOUND = Sentence("apply.steps.containers.found", "{times} found")
PLANNED = Sentence(
    "apply.steps.containers.planned", "{device} is an encrypted container with its planned UUID"
)
NOTHING = Sentence("apply.steps.containers.nothing", "nothing is recognised")
DATA = Sentence(
    "apply.steps.containers.data",
    "Its data begin {offset:exact} in, aligned, in sectors of {sector} bytes",
)
DATA_ALIGNED = Sentence(
    "apply.steps.containers.data-aligned", "{offset} bytes in, aligned, in sectors of {sector} bytes"
)
DATA_OFF = Sentence(
    "apply.steps.containers.data-off",
    "{offset} bytes in, one byte off, in sectors of {sector} bytes",
    "{offset} bytes in, {count} bytes off, in sectors of {sector} bytes",
)
