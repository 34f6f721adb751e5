"""Commands that change drives, or how they are used."""
