"""Operations: what a plan does to a drive or the system, one class each."""
