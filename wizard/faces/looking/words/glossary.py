"""The sentences of `diskwright glossary`."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.looking.glossary.says", "Say what a word means, or all that are known.")
TERM = Sentence("faces.looking.glossary.term", "one term, in any of its spellings")
ABOUT = Sentence(
    "faces.looking.glossary.about",
    "Terms are TOML files in the folder glossary of /etc/diskwright or ~/.config/diskwright: [[terms]] with "
    "id, term, text and source. Other spellings, if there are any, stand in `also`. A term with the id of "
    "another replaces it.",
)
ABOUT_WIZARD = Sentence(
    "faces.looking.glossary.about-wizard", "In the wizard, F2 shows the same list on every screen."
)
ALSO = Sentence("faces.looking.glossary.also", "{term} (also {others:list})")
SOURCE = Sentence("faces.looking.glossary.source", "Source:")
