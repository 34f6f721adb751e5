"""The nouns of the trade: frozen dataclasses and pure arithmetic, standard library only, no input or
output."""
