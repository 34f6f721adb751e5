"""Operations: changes to drives or the system, one class each."""
