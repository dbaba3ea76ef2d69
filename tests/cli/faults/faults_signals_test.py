"""Signals before each call of the operating system while `convert` runs."""

import itertools
import signal

from fault_runs import FORMS, FaultsCase

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# nohup and shells without job control ignore some, and programs inherit that.
for number in ENDING:
    signal.signal(number, signal.SIG_DFL)


class SignalsAtCallsTest(FaultsCase):
    def test_signals_at_every_call(self):
        for args in FORMS:
            self.old = {"out": b"old"} if "--shards" not in args else {}
            self.discard()
            self.run_ok("convert", "in", "-o", "out", *args, "--quiet")
            whole = self.outputs()
            self.discard()
            for index, number in enumerate(ENDING):
                self.signal_all(args, whole, number, index, len(ENDING))

    def signal_all(self, args, whole, number, first, step):
        """The signal before every `step`-th call, beginning with `first`."""
        for at in itertools.count(first, step):
            before = self.outputs()
            result = self.run_with(f"any:{at}:signal={int(number)}",
                                   ["convert", "in", "-o", "out", *args])
            if result is None:
                self.assertGreater(at, 10)
                return
            with self.subTest(signal=number, at=at, args=args):
                # The last calls come when all has its name.
                self.assertEqual(result.code, -number, result.err)
                self.assertIn(self.outputs(), [before, whole])
            self.discard()

    def test_a_broken_pipe_elsewhere_is_nothing(self):
        self.old = {}
        whole = {"out": self.read("in")}
        for at in itertools.count():
            result = self.run_with(
                f"any:{at}:signal={int(signal.SIGPIPE)}",
                ["convert", "in", "-o", "out", "--to", "tfrecord"])
            if result is None:
                self.assertGreater(at, 10)
                return
            self.assertEqual((result.code, self.outputs()), (0, whole))
            self.discard()
