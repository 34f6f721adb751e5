"""Files that are brought to a volume: what a copy there keeps, and the document."""
