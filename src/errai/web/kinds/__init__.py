"""The kinds of jobs.

Each has a model of its request, whose method ``prepare`` checks it and returns a :class:`~errai.web.jobs.NewJob`, and a
function, which takes a :class:`~errai.web.job_files.Work` and returns :class:`~errai.web.job_files.Ended`.  The request
is checked in the server; the function is called in the worker's process.
"""

KINDS = {
    "solve": "errai.web.kinds.solve:run",
    "match": "errai.web.kinds.match:run_match",
    "lbr": "errai.web.kinds.match:run_lbr",
    "report": "errai.web.kinds.report:run",
    "review": "errai.web.kinds.review:run",
}
"""The function of each kind; a worker imports only the module that it needs."""
