# SPDX-License-Identifier: Apache-2.0
"""`./dev soak [N]`: N kills and N cuts (default 200), then the comparison with colla train."""
import sys
import time
import unittest

from chaos import check_disturbed
from network import NetworkTest

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 200


class Soak(NetworkTest):
    def runTest(self):
        start = time.monotonic()

        def progress(chaos):
            print(f"{time.monotonic() - start:6.0f} s: {chaos.kills} kills, {chaos.cuts} cuts, "
                  f"{len(chaos.tasks[0])} tasks for each of {len(chaos.tasks)} agents", flush=True)

        chaos = check_disturbed(self, COUNT, COUNT, seed=time.time_ns(), progress=progress)
        progress(chaos)


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0).run(Soak())
    print("soak: " + ("every agent has learned each task once, to the bits of colla train"
                      if result.wasSuccessful() else "FAILED"))
    sys.exit(not result.wasSuccessful())
