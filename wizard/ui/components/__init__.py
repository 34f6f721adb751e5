"""Rows, paragraphs and bars for views, built from facts. Contains no screens."""
