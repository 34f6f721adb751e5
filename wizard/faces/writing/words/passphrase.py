"""What is said of asking for a passphrase."""

from wizard.model.said import Sentence

NOT_WANTED = Sentence(
    "faces.writing.passphrase.not-wanted",
    "--passphrase-file is for a plan that encrypts, and this one does not.",
)
HAS_KEY = Sentence(
    "faces.writing.passphrase.has-key", "The plan names the file with its key; leave --passphrase-file out."
)
NOT_READ = Sentence("faces.writing.passphrase.not-read", "{file} cannot be read: {why}.")
FAULT_IN = Sentence(
    "faces.writing.passphrase.fault-in", "The passphrase in {file} {fault}. Nothing was written."
)
NO_TERMINAL = Sentence(
    "faces.writing.passphrase.no-terminal",
    "{devices:and} is encrypted, and there is no terminal to ask for the passphrase. Give it by "
    "--passphrase-file FILE.",
    "{devices:and} are encrypted, and there is no terminal to ask for the passphrase. Give it by "
    "--passphrase-file FILE.",
)
ASK = Sentence("faces.writing.passphrase.ask", "Passphrase for {devices:list} (it is not shown):")
ONCE_MORE = Sentence("faces.writing.passphrase.once-more", "The same once more:")
FAULT = Sentence("faces.writing.passphrase.fault", "This passphrase {fault}.")
NOT_THE_SAME = Sentence("faces.writing.passphrase.not-the-same", "That was not the same.")
NOT_GIVEN = Sentence("faces.writing.passphrase.not-given", "No passphrase was given. Nothing was written.")
