"""The runs of the published pictures, said to the wizard again."""
