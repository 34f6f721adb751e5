"""Domain model: frozen records and pure arithmetic, without input or output."""
