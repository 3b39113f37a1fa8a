"""The public tree: lines of bets, boards with their hands, and what makes them fewer."""
