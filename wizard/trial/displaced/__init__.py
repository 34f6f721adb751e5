"""The quick probe for shingled recording: whether what was written is read from another place afterwards."""
