"""Domain model: frozen dataclasses and pure arithmetic. Standard library only, no input or output."""
