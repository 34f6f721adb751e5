"""The wizard on a screen: any view of the desk, drawn with Textual."""
