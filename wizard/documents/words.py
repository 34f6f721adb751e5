"""What is wrong with a document, or with the file that it is in or goes to."""

from wizard.model.said import Sentence

NO_SENTENCE = Sentence("documents.no-sentence", "there is no sentence {code} with these values")
NOT_SAID = Sentence("documents.not-said", "expected the code and values of a sentence, found {found}")
FOREIGN = Sentence("documents.foreign", "{code} ({values:list})")
"""A sentence that nobody here knows."""

NO_VALUE = Sentence("documents.no-value", "expected text, a number or a sentence, found {type}")
NONE_OF = Sentence("documents.none-of", "expected one of {values:list}, found {found}")
NO_LIST = Sentence("documents.no-list", "expected a list of {length} values, found {found}")
OTHER_TYPE = Sentence("documents.other-type", "expected {wanted}, found {found}")
EXTRA_FIELD = Sentence("documents.extra-field", "extra field found")
FIELD_MISSING = Sentence("documents.field-missing", "required field missing")

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
