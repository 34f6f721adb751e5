"""What is said of drives that are wanted otherwise than they are."""

from wizard.model.said import Sentence

# The document.
NO_DRIVES = Sentence("layout.ensured.no-drives", "{file} names no drive; begin one with [[drive]].")
NO_MATCH_KEY = Sentence(
    "layout.ensured.no-match-key",
    "{file}, drive {number}: match says nothing; give path, model, serial, size or bus.",
)
IN_FILE = Sentence("layout.ensured.in-file", "{file}: {why}")
IN_DRIVE = Sentence("layout.ensured.in-drive", "{file}, drive {number}: {why}")
NO_VOLUMES = Sentence("layout.ensured.no-volumes", "no volume is wanted; begin one with [[drive.volume]].")
COMMA = Sentence("layout.ensured.comma", "{key} '{value}' holds a comma, which no volume can have.")
NO_KEY = Sentence(
    "layout.ensured.no-key", "an encrypted volume needs a key, since nobody is asked for a passphrase."
)

# Which drive.
NONE_MATCHES = Sentence(
    "layout.ensured.none-matches", "No drive matches {criteria}. The drives here are: {known:semicolons}."
)
SEVERAL_MATCH = Sentence(
    "layout.ensured.several-match",
    "{number} drives match {criteria}, and one has to be meant: {found:semicolons}.",
)
CANDIDATE = Sentence(
    "layout.ensured.candidate", "{drive} (model {model}, serial {serial}, {size:size}, bus {bus})"
)
UNKNOWN = Sentence("layout.ensured.unknown", "unknown")
NO_DRIVE_AT_ALL = Sentence("layout.ensured.no-drive-at-all", "none")

# How it differs.
WITHOUT_TABLE = Sentence("layout.ensured.without-table", "{drive} has no table and holds {held:and}")
OTHER_TABLE = Sentence("layout.ensured.other-table", "{drive} has the table {found} instead of {wanted}")
OTHER_COUNT = Sentence(
    "layout.ensured.other-count", "{drive} has {found} partitions, others than the {wanted} that are wanted"
)
NO_PARTITION = Sentence("layout.ensured.no-partition", "there is no {device}")
OTHER_SIZE = Sentence("layout.ensured.other-size", "{device} has {found:round} instead of {wanted:round}")
OTHER = Sentence("layout.ensured.other", "{device}: {what} is {found} instead of {wanted}")
TYPE = Sentence("layout.ensured.type", "the type in the table")
FILESYSTEM = Sentence("layout.ensured.filesystem", "the filesystem")
HOLDS = Sentence("layout.ensured.holds", "what it holds")
LABEL = Sentence("layout.ensured.label", "the label")
NONE = Sentence("layout.ensured.none", "nothing")
