"""What is said where a plain user is given root, and of what the process that runs as root does then."""

from wizard.model.said import Sentence, t

PROMPT = t("Setting up a drive needs root. Password of %p: ")
NO_ROOT = t("Root was not given.")
NOT_GIVEN = Sentence("Root was not given: {why}. Nothing was written.")
NOT_STARTED = Sentence("{program} could not be started: {why}")
DISMISSED = Sentence("the question was dismissed")
NOT_ALLOWED = Sentence("it was not allowed, or nobody could be asked")

# What does not arrive.
NO_DRIVES = t("What root read of the drives did not arrive here.")
NO_FILESYSTEM = t("What root read of the filesystem did not arrive here.")
NO_ANSWER = t("What root found out did not arrive here.")
WORKED_OUT = t("What root worked out")
NO_SECRET = t("The passphrase did not arrive as it was sent. Nothing was written.")
NOT_HEARD = Sentence(
    "The process that runs as root says nothing more. The run itself does not need it: "
    "`sudo diskwright status {run}` tells how it stands."
)
NOT_ASKED = t("The process that runs as root has ended: nothing was asked of it.")
WENT_AWAY = t(
    "The process that runs as root ended without an answer; `sudo diskwright status` tells whether anything "
    "was begun."
)

# What the process that runs as root refuses.
NO_RUN = t("No run was begun from here, so there is none to keep or undo. Nothing was written.")
NO_DEVICE = Sentence("{path} is no device below /dev.")
OPEN_JOURNAL = Sentence(
    "The journal is not kept in {folder}: others than root could put another folder in its place. Or the "
    "folder is not named by its real path. Nothing was written. Name a folder that is root's alone with "
    "--journal DIR."
)
OPEN_ROOM = Sentence(
    "What is replaced is not kept in {folder}: others than root could put another folder in its place. Or "
    "the folder is not named by its real path. Nothing was written. Name a folder that is root's alone."
)
