"""The kinds of jobs, a module for each.

A module has a model of the request, whose method ``prepare`` checks it and returns a :class:`~errai.web.jobs.NewJob`,
and a function ``run``, which takes a :class:`~errai.web.job_files.Work` and returns :class:`~errai.web.job_files.Ended`.
The request is checked in the server; ``run`` is called in the worker's process.
"""

KINDS = {kind: f"errai.web.kinds.{kind}" for kind in ("solve", "match", "lbr")}
"""The module of each kind; a worker imports only the one that it needs."""
