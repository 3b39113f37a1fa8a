"""Reports of matches and standings, with their pictures."""
