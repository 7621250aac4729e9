"""Become another program that ends when the given parent does: `tied.py PARENT PROGRAM ARGUMENT…`.

Linux then sends SIGTERM even where the parent was killed and its atexit never ran. A preexec_fn
would do the same, but may deadlock in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h

ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
if os.getppid() == int(sys.argv[1]):  # else the parent died before prctl
    os.execv(sys.argv[2], sys.argv[2:])
