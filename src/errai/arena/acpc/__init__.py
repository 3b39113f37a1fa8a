"""The protocol of the Annual Computer Poker Competition: its lines, its log, its dealer, and players over TCP."""
