"""Plays scenarios in a browser: the pages of the server and rex.js.

    play.py PROGRAM FILE [SCENARIO ...]

PROGRAM is a built rex-server; FILE is `chat`, `inspector`, `module`, `looks` or `token`, whose
scenarios are played, all of them or those that are named: a line for each. Screenshots land in
.build/screenshots. playwright lies in .tools/python, where scripts/bootstrap --tests puts it; the
browser is the system's chromium.
"""

import importlib
import sys

import harness

program, file, *names = sys.argv[1:]
importlib.import_module(f"{file}_scenarios")
sys.exit(harness.main(program, names))
