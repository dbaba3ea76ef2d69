"""An installed wheel writes and reads a file, in an empty folder."""

import os
import tempfile

from wheel_check import TRIAL

os.chdir(tempfile.mkdtemp())
exec(TRIAL)
print("the wheel works")
