"""How what was made on a stand-in comes to the drive, and back."""
