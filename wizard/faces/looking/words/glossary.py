"""The sentences of `diskwright glossary`."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.looking.glossary.says", "Explain one word, or list all.")
TERM = Sentence("faces.looking.glossary.term", "a word, in any spelling")
ABOUT = Sentence(
    "faces.looking.glossary.about",
    "Terms are TOML files in the folder glossary of /etc/diskwright or ~/.config/diskwright: [[terms]] with "
    "id, term, text and source. Other spellings, if there are any, stand in `also`. A term with the id of "
    "another replaces it.",
)
ABOUT_WIZARD = Sentence("faces.looking.glossary.about-wizard", "In the wizard, press F2.")
ALSO = Sentence("faces.looking.glossary.also", "{term} (also {others:list})")
SOURCE = Sentence("faces.looking.glossary.source", "Source:")
