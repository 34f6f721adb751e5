"""What is said of profiles, most of all where they do not fit: that stands behind file, line and key."""

from wizard.model.said import Sentence

NONE_OF = Sentence("{name} is none of {known:list}.")
