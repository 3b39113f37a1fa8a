"""What several benchmarks share: words for the machine, tables and pictures."""
