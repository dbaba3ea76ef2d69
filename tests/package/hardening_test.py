"""What is shipped was built to make faults hard to use.

usage: hardening_test.py PROGRAM_OR_MODULE...
"""

import subprocess
import sys
import unittest

FILES = sys.argv[1:]


class HardeningTest(unittest.TestCase):

    def expect(self, option, *patterns):
        """What readelf says of each file."""
        self.assertTrue(FILES)
        for path in FILES:
            text = subprocess.run(["readelf", "--wide", option, path],
                                  check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
            for pattern in patterns:
                self.assertRegex(text, pattern, path)

    def test_addresses_are_not_fixed(self):
        self.expect("--file-header", r"Type: +DYN")

    def test_tables_of_addresses_are_read_only(self):
        self.expect("--segments", r"GNU_RELRO")
        self.expect("--dynamic", r"BIND_NOW|FLAGS_1.*NOW")

    def test_the_stack_holds_no_code(self):
        self.expect("--segments", r"GNU_STACK( +0x\w+){5} RW ")

    def test_stacks_and_copies_are_checked(self):
        self.expect("--dyn-syms", r"__stack_chk_fail", r"__mem\w+_chk")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
