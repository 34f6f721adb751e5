"""Messages of several commands."""

from wizard.model.said import Sentence, t

REQUIRES = Sentence("{option} requires {needed}.")
EXCLUDES = Sentence("{option} cannot be combined with {other}.")
NEEDS_DRIVE = Sentence("{option} requires a whole drive, such as {drive}.")
BETWEEN = Sentence("{option} must be between {least} and {most}.")
NOT_FOUND = Sentence("{file} not found. Create it with `diskwright {command} ... -o {file}`.")
RUN = t("a run")

NOT_WRITTEN = t("Nothing was written. To apply, exactly as shown:")
NEEDS_ROOT = t("This requires root. Nothing was written. To run as root:")
NO_RUN = Sentence("No runs in {folder}.")
