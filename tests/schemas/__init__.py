"""JSON Schemas of the documents, in docs/schemas/: made from the dataclasses that are written."""
