"""What the screens say, as text in colours."""
