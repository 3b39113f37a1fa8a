"""The routes of the application, a module for each kind of thing."""
