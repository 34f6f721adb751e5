"""What is said where a command ends without its own words."""

from wizard.model.said import Sentence

AFTER = Sentence("faces.cli.after", "If a run was begun, `diskwright status` tells how it stands.")
ENDED = Sentence("faces.cli.ended", "ended by you.")
UNUSABLE = Sentence("faces.cli.unusable", "{file} cannot be used: {why}.")
OUTPUT_FULL = Sentence("faces.cli.output-full", "The output could not be written: its disk is full.")
NO_PROFILES = Sentence(
    "faces.cli.no-profiles",
    "{folder} is missing or not whole: what is known of drives and purposes is there. Without it, known"
    " shingled drives would not be recognised. Install diskwright again.",
)
NO_COMMAND = Sentence("faces.cli.no-command", "there is no command {name}; `diskwright --help` lists them.")
COMMAND_FIRST = Sentence(
    "faces.cli.command-first", "a command comes first, its options behind it: `diskwright {command} ...`"
)
NO_SUCH_NAME = Sentence(
    "faces.cli.no-such-name", "`diskwright` is no command of this shell; in its place type {file}"
)
