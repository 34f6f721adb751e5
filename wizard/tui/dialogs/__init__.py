"""What lies over a screen: questions, forms, help and the glossary."""
