"""Pictures: strategies as grids and tables, convergence curves, betting trees, and nodes as data.

Everything here reads plain attributes and arrays, so that it draws a solution's nodes and any object with the
same attributes.  matplotlib is imported only when a PNG is made, rich only for the terminal.
"""
