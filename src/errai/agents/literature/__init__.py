"""The bots of the literature, each built as its paper describes; docs/bots/ has a page for each."""
