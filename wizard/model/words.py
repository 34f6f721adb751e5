"""What nouns and numbers themselves say."""

from wizard.model.said import Sentence

CAN_LIVE = Sentence("model.can-live", "{title} can live there")
CANNOT_LIVE = Sentence("model.cannot-live", "{title} cannot live there")
MAY_LIVE = Sentence("model.may-live", "{title} may live there, or not")
NO_SIZE = Sentence(
    "model.no-size",
    "{text!r} is not a size. Write a number with K, M, G or T behind it, such as 500G or 750GB.",
)
