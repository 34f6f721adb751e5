"""What is wrong with a document, or with the file that it is in or goes to."""

from wizard.model.said import Sentence

# A value that is not what it has to be. `what` names it: `size`, or option 2.
NO_SENTENCE = Sentence("documents.no-sentence", "{what} is no sentence that is known here: {code}.")
NOT_SAID = Sentence(
    "documents.not-said", "{what} has to be a sentence, with its code and values, not {found}."
)
FOREIGN = Sentence("documents.foreign", "{code} ({values:list})")
"""A sentence that nobody here knows."""

NO_VALUE = Sentence("documents.no-value", "{what} has to be text, a number or a sentence, not {found}.")
NONE_OF = Sentence("documents.none-of", "{what} has to be one of {values:list}, not {found}.")
NO_LIST = Sentence("documents.no-list", "{what} has to be a list of {length} values, not {found}.")
OTHER_TYPE = Sentence("documents.other-type", "{what} has to be {wanted}, not {found}.")
EXTRA_FIELD = Sentence("documents.extra-field", "{what} is no key that is known here.")
FIELD_MISSING = Sentence("documents.field-missing", "{what} is missing.")
THE_DOCUMENT = Sentence("documents.the-document", "the document")

# Types of values.
TEXT = Sentence("documents.text", "text")
WHOLE = Sentence("documents.whole", "a whole number")
NUMBER = Sentence("documents.number", "a number")
FRACTION = Sentence("documents.fraction", "a fraction")
YES_OR_NO = Sentence("documents.yes-or-no", "yes or no (true or false)")
LIST = Sentence("documents.list", "a list")
TABLE = Sentence("documents.table", "a table")
NOTHING = Sentence("documents.nothing", "nothing")
TIME = Sentence("documents.time", "a date or a time")

# Where it stands.
IN_DOCUMENT = Sentence("documents.in-document", "{file}: {why}")
AT_PLACE = Sentence("documents.at-place", "{file}, {place}: {why}")
AT_LINE = Sentence("documents.at-line", "{file}, line {line}: {why}")
AT_LINE_IN = Sentence("documents.at-line-in", "{file}, line {line}, {place}: {why}")

DAMAGED = Sentence("documents.damaged", "{file} is not a whole JSON document: it may be cut off or damaged.")
NO_SCHEMA = Sentence("documents.no-schema", "{file} is no diskwright document: it names no schema.")
OTHER_VERSION = Sentence(
    "documents.other-version",
    "{file} has version {found} of {kind}; this diskwright reads version {version}.",
)
EARLIER = Sentence(
    "documents.earlier",
    "{file} was made by an earlier version of diskwright. {again}",
)
OTHER_KIND = Sentence("documents.other-kind", "{file} is a {found}, not a {kind}.")
CHANGED = Sentence(
    "documents.changed",
    "{file} was changed or damaged after it was made: its digest does not fit. {again}",
)

NO_FILE = Sentence("documents.no-file", "{file} is no file; name one to write {what} to.")
NOT_WRITTEN = Sentence(
    "documents.not-written", "{what} could not be written to {file}: {why}. No file was changed."
)
A_DRIVE = Sentence("documents.a-drive", "{file} is a drive or a part of one, not a file.")
FOLDER = Sentence("documents.folder", "{file} is a directory; name a file in it.")
TOO_LARGE = Sentence("documents.too-large", "{file} is too large to be a diskwright document.")
TOO_DEEP = Sentence("documents.too-deep", "{file} has values within values, too deep to be read.")
NOTHING_COMES = Sentence("documents.nothing-comes", "Nothing comes through the pipe {file}.")
NO_TEXT = Sentence("documents.no-text", "{file} is no text, so it is no diskwright document.")
UNREADABLE = Sentence("documents.unreadable", "{file} cannot be read: {why}.")
BAD_NAME = Sentence("documents.bad-name", "the name cannot be a file's")
