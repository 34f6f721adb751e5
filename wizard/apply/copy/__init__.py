"""Files that are brought to a volume: looked over, copied, compared, taken back."""
