"""The sentences of advice, by what they are about."""
