"""What is wrong in a list of drive models."""

from wizard.model.said import Sentence

NO_PATTERN = Sentence("diagnose.patterns.no-pattern", "'{pattern}' is no usable pattern: {fault}.")
FITS_ALL = Sentence("diagnose.patterns.fits-all", "'{pattern}' is no usable pattern: it fits every drive.")
FITS_NONE = Sentence("diagnose.patterns.fits-none", "{largest:g} leaves no drive that could fit.")
