"""JSON documents: frozen dataclasses out and in, each with a schema name and version, strictly checked when
read."""
