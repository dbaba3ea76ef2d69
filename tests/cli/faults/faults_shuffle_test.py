"""Calls that go wrong while `shuffle` runs."""

from fault_runs import FAULTS, FaultsCase, actions


class ShuffleFaultsTest(FaultsCase):
    def test_shuffle(self):
        for output, old in (("out", {"out": b"old"}), ("out@3", {})):
            self.old = old
            self.discard()
            # Memory that is filled before it is used, as Meson asks for, takes
            # its time.
            args = ["shuffle", "in", "-o", output, "--memory", "16M"]
            self.run_ok(*args, "--quiet")
            whole = self.outputs()
            self.discard()
            for call, action, codes in actions(FAULTS.keys() - {"fchmod"}):
                for fault, result, before in self.runs(call, action, args):
                    with self.subTest(fault, output=output):
                        self.expect(result, codes, before, whole)
