# SPDX-License-Identifier: Apache-2.0
"""Programs that are killed at a system call: at an event that is counted, not at a time."""
import ctypes
import os
import signal

from program import PROGRAM

TRACE_ME, CONTINUE_TO_CALL, SET_OPTIONS = 0, 24, 0x4200
MARK_CALLS, KILL_WITH_TRACER = 1, 1 << 20
AT_CALL = signal.SIGTRAP | 0x80

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
LIBC.ptrace.restype = ctypes.c_long


def trace(request, process=0, data=0):
    if LIBC.ptrace(request, process, None, data) != 0:
        raise OSError(ctypes.get_errno(), "ptrace failed")


def be_the_program(arguments, folder):
    try:
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        trace(TRACE_ME)
        os.execv(PROGRAM, [PROGRAM, *arguments])
    finally:
        os._exit(126)


def all_calls(*arguments, folder):
    """How often the main thread of a program that succeeds stops at its system calls: twice for each."""
    calls, status = run_to_call(None, arguments, folder)
    assert status == 0, status
    return calls


def kill_at_call(number, *arguments, folder):
    """Kills the program at its main thread's stop of that number."""
    _, status = run_to_call(number, arguments, folder)
    assert status == signal.SIGKILL, f"it ended before call {number}, with status {status}"


def run_to_call(last, arguments, folder):
    process = os.fork()
    if process == 0:
        be_the_program(arguments, folder)
    _, status = os.waitpid(process, 0)
    assert os.WIFSTOPPED(status), "programs cannot be traced here"
    trace(SET_OPTIONS, process, MARK_CALLS | KILL_WITH_TRACER)
    calls, received = 0, 0
    while os.WIFSTOPPED(status):
        if calls == last:
            os.kill(process, signal.SIGKILL)
        else:
            trace(CONTINUE_TO_CALL, process, received)
        _, status = os.waitpid(process, 0)
        received = os.WSTOPSIG(status) if os.WIFSTOPPED(status) else 0
        if received == AT_CALL:
            calls, received = calls + 1, 0
    return calls, status
