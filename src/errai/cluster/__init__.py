"""Games larger than the memory of one machine: their partition into subgames, and who works on them."""
