"""The sentences of trials, by what they are about."""
