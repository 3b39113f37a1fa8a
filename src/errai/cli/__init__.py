"""The command line: one verb a file, each a thin call of one public function."""
