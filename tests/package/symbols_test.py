"""The static library never ends, prints, or touches global state.

What its object files refer to says so: none of them calls what would, and none
has a variable that can change. The one object file that may is NoValue's, which
ends a program that used the value of a Result without one. Calls of std::__throw_... are allowed: what
memory can cause, bad_alloc and length_error, is caught where the library is
entered (src/base/out_of_memory.h), and nothing else is ever thrown. snprintf is
allowed: it writes to memory. Checks that a compiler puts in on request
(__stack_chk_fail and its like) are the packager's affair.
"""

import re
import subprocess
import sys
import unittest

# By the reason why nobody may call them. Names as the linker knows them.
FORBIDDEN = {
    "ends the process": (
        "abort exit _exit _Exit quick_exit raise kill"),
    "is an assertion": "__assert_fail __assert _ZSt21__glibcxx_assert_failPKciS0_S0_",
    "prints": (
        "printf vprintf fprintf vfprintf dprintf vdprintf puts putchar putc "
        "fputs fputc fwrite fflush perror psignal syslog "
        "__printf_chk __vprintf_chk __fprintf_chk __vfprintf_chk __dprintf_chk "
        "stdout stderr _ZSt4cout _ZSt4cerr _ZSt4clog _ZSt5wcout _ZSt5wcerr "
        "_ZNSt8ios_base4InitC1Ev"),
    "changes what the whole process shares": (
        "rand srand random srandom drand48 srand48 setlocale uselocale "
        "setenv unsetenv putenv chdir umask signal sigaction sigprocmask "
        "pthread_sigmask atexit at_quick_exit pthread_atfork tzset "
        "_ZNSt6locale6globalERKS_ _ZSt13set_terminatePFvvE "
        "_ZSt15set_new_handlerPFvvE"),
    "is not thread-safe": "strerror strtok getpwnam gmtime localtime asctime",
}

# It has nothing else (src/base/no_value.cc).
ENDS_THE_PROCESS = re.compile(r"no_value\.cc\.o$")

# Variables that may change, with the reason why each is harmless.
WRITABLE = {
    # Written once, before it is first seen: the error of those who have no
    # memory to make one. Not every compiler can make it constant.
    "headrace::Status::OutOfMemory()::lasting",
    "guard variable for headrace::Status::OutOfMemory()::lasting",
    # Memory without content; whoever takes it cannot tell whose it was
    # (docs/design/base.md, "Memory of the process").
    "headrace::(anonymous namespace)::process_pool",
}
# Pointers to code of the C++ runtime, which the linker fills in. Highway's
# choice of a target, which is made once and aborts where a machine has none of
# the targets, lives in libhwy.
LINKED = re.compile(r"(\.hidden )?DW\.ref\.")

SYMBOL = re.compile(r"^[0-9a-f]+ (?P<flags>.{7}) (?P<section>\S+)\t"
                    r"[0-9a-f]+ +(?P<name>.*)$")
CHANGING = re.compile(r"\.(t?data|t?bss)\b|\*COM\*|COMMON")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout


def references(library):
    """(object file, name) of all that the library's files do not define."""
    name = None
    for line in run("nm", "--undefined-only", library).splitlines():
        if line.endswith(".o:"):
            name = line[:-1]
        elif line.strip():
            yield name, line.split()[-1].split("@")[0]


def variables(library):
    """Names of all variables in sections that can be written to."""
    for line in run("objdump", "--syms", "--demangle", library).splitlines():
        symbol = SYMBOL.match(line)
        if not symbol or not CHANGING.match(symbol["section"]):
            continue
        # What is constant once it is linked; the sections' own names.
        if symbol["section"].startswith(".data.rel.ro") or "d" in symbol["flags"]:
            continue
        if not LINKED.match(symbol["name"]):
            yield symbol["name"]


class SymbolsTest(unittest.TestCase):

    def test_calls_nothing_forbidden(self):
        reasons = {name: reason for reason, names in FORBIDDEN.items()
                   for name in names.split()}
        found = [f"{file}: {name} {reasons[name]}"
                 for file, name in references(LIBRARY)
                 if name in reasons and not ENDS_THE_PROCESS.search(file)]
        self.assertEqual(found, [])

    def test_one_file_ends_the_process(self):
        names = {name for file, name in references(LIBRARY)
                 if ENDS_THE_PROCESS.search(file)}
        self.assertIn("abort", names)
        own = {line.split()[-1]
               for line in run("nm", "--defined-only", "--extern-only",
                               LIBRARY).split(
                   "no_value.cc.o:")[1].split("\n\n")[0].splitlines()
               if line.strip() and " T " in line}
        self.assertEqual(own, {"_ZN8headrace7NoValueERKNS_6StatusE"})

    def test_has_no_variables(self):
        self.assertEqual(set(variables(LIBRARY)) - WRITABLE, set())

    def test_sees_what_there_is(self):
        """A library of other names or an odd tool would pass unseen."""
        names = {name for _, name in references(LIBRARY)}
        self.assertIn("malloc", names)
        self.assertEqual(set(variables(LIBRARY)), WRITABLE)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop()
    unittest.main()
