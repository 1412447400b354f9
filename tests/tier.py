"""How much of a long test is run, as in tests/tier.h: LONG in `make check`, SOAK in `make soak`."""

import os

SOAK, LONG = (os.environ.get(name, "0") not in ("", "0") for name in ("SOAK", "LONG"))
LONG = LONG or SOAK
