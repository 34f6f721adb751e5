"""What a run carries out, beside a plan: one module a kind of document."""
