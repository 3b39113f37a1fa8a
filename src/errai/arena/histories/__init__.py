"""Hand histories: PHH, PokerStars text, logs of the competition and tables, read, written and converted."""
