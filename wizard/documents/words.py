"""What is wrong with a sentence in a document."""

from wizard.model.said import Sentence

NO_SENTENCE = Sentence("documents.no-sentence", "there is no sentence {code} with these values")
NOT_SAID = Sentence("documents.not-said", "expected the code and values of a sentence, found {found}")
NO_VALUE = Sentence("documents.no-value", "expected text, a number or a sentence, found {type}")
