"""The sentences of a report, by what they are about."""
