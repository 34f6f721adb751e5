"""What a run says."""

from wizard.model.said import Sentence, t

READY = Sentence("{size:size} ready at {places:and}, writable by {who}.")
NOT_YET = t("Done, not yet in use: keep it to use it, or undo it.")
