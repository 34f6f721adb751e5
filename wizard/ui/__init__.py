"""The wizard without a face: where a person is, what is to be seen there, and what can be done."""
