"""What several benchmarks share: words for the machine, comparisons, tables and pictures."""
