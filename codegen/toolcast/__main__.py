"""`python -m toolcast`."""

import os
import sys

if not sys.flags.safe_path:
    # Python put the working directory first. What lies there is not ours: it must not stand in for libraries.
    sys.path[0] = os.path.dirname(sys.executable)  # noqa: PTH120 - pathlib would be found there, too

from .cli.entry import main

sys.exit(main())
