"""JSON Schemas of the documents in docs/schemas/, generated from the dataclasses."""
