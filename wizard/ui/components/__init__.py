"""What views are made of: rows, paragraphs and bars, from facts. Nothing here is a place."""
