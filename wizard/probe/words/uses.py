"""Who uses a device, where that has no node or path."""

from wizard.model.said import Sentence

HIDDEN = Sentence("probe.uses.hidden", "a place hidden from here")
SOMEBODY = Sentence("probe.uses.somebody", "another program")
