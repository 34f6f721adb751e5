"""Full-screen wizard: draws any view with Textual."""
