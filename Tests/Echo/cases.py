"""Plays the cases of kosoku against a WebSocket server that echoes.

    cases.py ADDRESS [PATTERN ...] [-x PATTERN ...]

A line for each case that did not pass, then how many did; the status is 0 when all did. kosoku lies
in .tools/python, where scripts/bootstrap --tests puts it.
"""

import asyncio
import collections
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".tools/python"))

from kosoku import FailureError, run_fuzzingclient  # noqa: E402
from kosoku._caseindex import initialize_shims  # noqa: E402


def hand_on_bytes():
    """kosoku 0.1.0 hands what came to the compression cases as a str, where they expect bytes as in
    Python 2, and ends them with an error of its own."""
    initialize_shims()
    import case12_x_x

    def wrapped(method):
        def on_message(self, message, binary):
            if isinstance(message, str):
                message = message.encode("latin-1" if binary else "utf-8")
            return method(self, message, binary)

        return on_message

    for case in case12_x_x.Case12_X_X + case12_x_x.Case13_X_X:
        case.onMessage = wrapped(case.onMessage)


async def main():
    words = sys.argv[2:]
    mark = words.index("-x") if "-x" in words else len(words)
    include, exclude = words[:mark] or None, words[mark + 1 :] or None
    try:
        results = await run_fuzzingclient(sys.argv[1], include, exclude)
    except FailureError as failure:
        results = failure.results
    fine = {"OK", "INFORMATIONAL"}
    verdicts = collections.Counter()
    for result in results:
        verdict = result.behavior.value, result.behavior_close.value
        verdicts["/".join(dict.fromkeys(verdict))] += 1
        if not fine.issuperset(verdict):
            print(result.case_id, *verdict, result.result, result.result_close)
    print(len(results), "cases:", ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
    return 0 if results and fine.issuperset(v for k in verdicts for v in k.split("/")) else 1


hand_on_bytes()
status = asyncio.run(main())
sys.stdout.flush()
# Not by the interpreter's own end: the threads of kosoku 0.1.0 sometimes keep it from coming.
os._exit(status)
