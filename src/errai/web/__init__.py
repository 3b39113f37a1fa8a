"""The application in the browser: a local server that plays, solves, shows solutions and runs matches.

The server keeps no state of its own.  Everything is in the files of a folder (:mod:`errai.web.files`) that the
command line reads and writes too, so a server that is killed loses nothing.
"""
