"""A worker process: jobs as pickles on its input, results on its output, until there are no more (`workers.py`)."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from typing import IO


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """One answer after the other: (True, result) or (False, traceback)."""
    while True:
        try:
            job, argument = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = (True, job(argument))
        except Exception:  # a fault of ours: whoever asked tells it
            answer = (False, traceback.format_exc())
        try:
            pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
        except BrokenPipeError:  # whoever asked is gone
            return


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that a person started
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not break an answer
    serve(sys.stdin.buffer, out)
    os._exit(0)
