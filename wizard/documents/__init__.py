"""JSON documents from frozen records, with schema name and version, strictly checked when read."""
