"""Who uses a device, where that has no node or path."""

from wizard.model.said import Sentence

HIDDEN = Sentence("probe.uses.hidden", "a place hidden from here")
HIDDEN_AT = Sentence("probe.uses.hidden-at", "{place} in another session or container")
SOMEBODY = Sentence("probe.uses.somebody", "another program")
