"""The steps of a run, by what their tools say."""
