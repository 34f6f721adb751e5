"""Report of a whole run as one HTML or JSON file: facts, advice, plan, benchmarks, steps and checks."""
