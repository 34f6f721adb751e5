"""What stands in bars."""

from wizard.model.said import Sentence

FREE = Sentence("desk.parts.free", "free")
UNREAD = Sentence("desk.parts.unread", "not read")
WHOLE = Sentence("desk.parts.whole", "whole drive")
PARTITION = Sentence("desk.parts.partition", "{number}")
NOW = Sentence("desk.parts.now", "Now")
THEN = Sentence("desk.parts.then", "Then")
NOW_OF = Sentence("desk.parts.now-of", "{drive} now")
THEN_OF = Sentence("desk.parts.then-of", "{drive} then")
