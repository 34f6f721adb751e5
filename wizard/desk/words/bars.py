"""What stands in bars."""

from wizard.model.said import Sentence

FREE = Sentence("desk.bars.free", "free")
UNREAD = Sentence("desk.bars.unread", "not read")
WHOLE = Sentence("desk.bars.whole", "whole drive")
PARTITION = Sentence("desk.bars.partition", "{number}")
NOW = Sentence("desk.bars.now", "Now")
THEN = Sentence("desk.bars.then", "Then")
NOW_OF = Sentence("desk.bars.now-of", "{drive} now")
THEN_OF = Sentence("desk.bars.then-of", "{drive} then")
