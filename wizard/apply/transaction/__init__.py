"""A change to an ext filesystem that is made on a snapshot and put on the drive through any power cut."""
