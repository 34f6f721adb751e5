"""JSON documents from frozen dataclasses, with schema name and version, strictly checked when read."""
