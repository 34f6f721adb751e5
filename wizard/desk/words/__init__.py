"""The sentences of the wizard's places, by what they are about."""
