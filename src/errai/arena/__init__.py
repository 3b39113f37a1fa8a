"""The arena: matches, the protocol between programs, hand histories, and measuring with less luck."""
