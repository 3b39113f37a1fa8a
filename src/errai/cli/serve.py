"""Play, solve and study in the browser.

Play, solve, study solutions and run matches in the browser, on this machine alone unless told otherwise.

The server listens on 127.0.0.1 and prints one address, which contains a token that every request needs. Solutions,
jobs, tables and matches are files in the folder, in the formats of the other verbs. Solves and matches run in
processes of their own: they go on when the server ends, and it finds them again when it starts. Ctrl-C ends it.

The token is new at every start. Set ERRAI_TOKEN, to 16 letters or digits or more, to choose one that stays the same.

A container must listen on 0.0.0.0 to be reached from outside. Requests still need the token, and must name 127.0.0.1,
localhost or the address of --host. What is sent is not encrypted: in a network that others use, prefer a tunnel
(ssh -L).
"""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path

from errai.cli.arguments import Arguments, Options, port_number
from errai.cli.output import OK

LOOPBACK = IPv4Address("127.0.0.1")


def ip_address(text: str) -> IPv4Address:
    """Read an address; raises :class:`argparse.ArgumentTypeError` if it is none."""
    try:
        return IPv4Address(text)
    except AddressValueError as error:
        raise ArgumentTypeError(f"{text!r} is not an IPv4 address, such as 127.0.0.1 or 0.0.0.0") from error


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add(
        "--host ADDRESS",
        "IPv4 address to listen on; 0.0.0.0 for all, as a container needs (default: 127.0.0.1)",
        ip_address,
        default=LOOPBACK,
    )
    add("--port N", "port; 0 for a free one (default: 8000)", port_number, default=8000)
    add(
        "--folder FOLDER",
        "folder for solutions, jobs, tables and matches (default: errai-work)",
        Path,
        default=Path("errai-work"),
    )
    add("--no-browser", "do not open the browser")


def run(options: Options) -> int:
    """Serve until Ctrl-C."""
    from errai.web.server import serve

    serve(
        options.folder,
        options.port,
        browser=not options.no_browser,
        token=os.environ.get("ERRAI_TOKEN"),
        host=options.host,
    )
    return OK
