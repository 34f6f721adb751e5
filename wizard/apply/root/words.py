"""What is said where a plain user is given root, and of what the process that runs as root does then."""

from wizard.model.said import Sentence

PROMPT = Sentence("apply.root.prompt", "Setting up a drive needs root. Password of %p: ")
NO_ROOT = Sentence("apply.root.no-root", "Root was not given.")
NOT_GIVEN = Sentence("apply.root.not-given", "Root was not given: {why}. Nothing was written.")
NOT_STARTED = Sentence("apply.root.not-started", "{program} could not be started: {why}")
DISMISSED = Sentence("apply.root.dismissed", "the question was dismissed")
NOT_ALLOWED = Sentence("apply.root.not-allowed", "it was not allowed, or nobody could be asked")

# What does not arrive.
NO_DRIVES = Sentence("apply.root.no-drives", "What root read of the drives did not arrive here.")
NO_FILESYSTEM = Sentence("apply.root.no-filesystem", "What root read of the filesystem did not arrive here.")
NO_ANSWER = Sentence("apply.root.no-answer", "What root found out did not arrive here.")
WORKED_OUT = Sentence("apply.root.worked-out", "What root worked out")
NO_SECRET = Sentence(
    "apply.root.no-secret", "The passphrase did not arrive as it was sent. Nothing was written."
)
NOT_HEARD = Sentence(
    "apply.root.not-heard",
    "The process that runs as root says nothing more. The run itself does not need it: "
    "`sudo diskwright status {run}` tells how it stands.",
)
NOT_ASKED = Sentence(
    "apply.root.not-asked", "The process that runs as root has ended: nothing was asked of it."
)
WENT_AWAY = Sentence(
    "apply.root.went-away",
    "The process that runs as root ended without an answer; `sudo diskwright status` tells whether anything "
    "was begun.",
)

# What the process that runs as root refuses.
NO_RUN = Sentence(
    "apply.root.no-run",
    "No run was begun from here, so there is none to keep or undo. Nothing was written.",
)
NO_DEVICE = Sentence("apply.root.no-device", "{path} is no device below /dev.")
OPEN_JOURNAL = Sentence(
    "apply.root.open-journal",
    "The journal is not kept in {folder}: others than root could put another folder in its place. Or the "
    "folder is not named by its real path. Nothing was written. Name a folder that is root's alone with "
    "--journal DIR.",
)
OPEN_ROOM = Sentence(
    "apply.root.open-room",
    "What is replaced is not kept in {folder}: others than root could put another folder in its place. Or "
    "the folder is not named by its real path. Nothing was written. Name a folder that is root's alone.",
)
