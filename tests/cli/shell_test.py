"""Completions, by the shells themselves, and pages of the manual."""

import re
import subprocess

from program import CliTest


def sh(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60,
                          check=False, **options)


class CompletionTest(CliTest):
    """Each shell is asked what could come next; bash gives words alone."""

    # What is typed, and some of the answers.
    CASES = [
        ("headrace he", {"head", "help"}),
        ("headrace head --fo", {"--format"}),
        ("headrace head --format ", {"table", "jsonl"}),
        ("headrace convert --on-corrupt ", {"fail", "skip", "rescan"}),
        ("headrace convert --to web", {"webdataset"}),
        ("headrace head --message sequence", {"sequence_example"}),
        ("headrace completion ", {"bash", "zsh", "fish"}),
        ("headrace help conv", {"convert"}),
        ("headrace head peo", {"people.tfrecord"}),
        ("headrace convert -o peo", {"people.tfrecord"}),
    ]

    def setUp(self):
        super().setUp()
        (self.folder / "people.tfrecord").touch()

    def script(self, shell, name):
        path = self.folder / name
        path.write_text(self.run_ok("completion", shell).out)
        return path

    def check(self, complete):
        for typed, expected in self.CASES:
            with self.subTest(typed):
                found = complete(typed)
                self.assertLessEqual(expected, found)
                last = typed.rpartition(" ")[2]
                self.assertTrue(all(word.startswith(last) for word in found), found)

    def test_bash(self):
        script = self.script("bash", "headrace.bash")

        def complete(typed):
            # What readline does, which needs a terminal.
            done = sh("bash", "--norc", "-c", f"""
                source {script}
                COMP_WORDS=({typed.rstrip()}); [[ "{typed}" == *" " ]] && COMP_WORDS+=("")
                COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
                _headrace
                [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"))
                printf '%s\\n' "${{COMPREPLY[@]}}" """, cwd=self.folder)
            self.assertEqual(done.stderr, "")
            return set(done.stdout.split())

        self.check(complete)
        self.assertEqual(complete("headrace head --format = ta"), {"table"})
        self.assertEqual(sh("bash", "-n", str(script)).stderr, "")

    def test_fish(self):
        script = self.script("fish", "headrace.fish")

        def complete(typed):
            done = sh("fish", "--no-config", "-c",
                      f"source {script}; complete -C '{typed}'", cwd=self.folder,
                      env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin"})
            self.assertEqual(done.stderr, "")
            return {line.split("\t")[0] for line in done.stdout.splitlines()}

        self.check(complete)

    def test_zsh(self):
        self.script("zsh", "_headrace")

        def complete(typed, seconds):
            # Completion needs a terminal: zsh runs another one in it. What is typed before
            # that edits lines goes through the terminal, for which ^D would be the end.
            done = sh("zsh", "-f", "-c", f"""
                zmodload zsh/zpty
                zpty z zsh -f -i
                zpty -w z "PS1=; fpath=($PWD \\$fpath); autoload -U compinit; compinit -u -D"
                zpty -w z "zstyle ':completion:*' list-separator '###'"
                zpty -w z "zstyle ':completion:*' format ''; LISTMAX=10000; stty cols 200"
                zpty -w z "bindkey '^T' list-choices; print RE''ADY"
                zpty -r -m z ready '*READY*'
                zpty -w -n z '{typed}'$'\\C-T'
                sleep {seconds}
                zpty -w -n z $'\\C-U'
                zpty -w z "print DO''NE"
                zpty -r -m z answer '*DONE*'
                print -r -- $answer""", cwd=self.folder)
            text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x07|\x08", " ", done.stdout)
            last = typed.rpartition(" ")[2]
            words = re.findall(r"(?<!\S)[-\w.]+", text)
            return {word for word in words if word.startswith(last)} - {""}

        for typed, expected in self.CASES:
            with self.subTest(typed):
                found = set()
                for seconds in (0.1, 1, 5):  # a busy machine takes longer
                    if not expected <= found:
                        found = complete(typed, seconds)
                self.assertLessEqual(expected, found)
        self.assertEqual(sh("zsh", "-n", str(self.folder / "_headrace")).stderr, "")


class ManualTest(CliTest):
    def pages(self):
        help_text = self.run_ok("--help").out
        verbs = re.findall(r"(?m)^  (\w+) ", help_text.partition("Options:")[0])
        self.assertGreater(len(verbs), 14)
        return [[], *([verb] for verb in verbs)]

    def test_pages_are_sound_and_say_what_help_says(self):
        for verb in self.pages():
            with self.subTest(verb):
                page = self.run_ok("manual", *verb).out
                path = self.folder / "page.1"
                path.write_text(page)
                said = sh("mandoc", "-T", "lint", "-W", "warning", str(path)).stdout
                # A date would be that of the build.
                self.assertRegex(said, r"\A.*missing date.*\n\Z")
                shown = sh("mandoc", "-T", "utf8", "-O", "width=500", str(path)).stdout
                shown = re.sub(".\b", "", shown)
                words = shown.split()
                for name in re.findall(r"(?m)^  (--?[\w-]+)",
                                       self.run_ok("help", *verb).out):
                    self.assertIn(name, [word.rstrip(",") for word in words])
                self.assertIn("EXAMPLES", words)
                title = "-".join(["headrace", *verb])
                self.assertIn(f"{title} - ", shown)

    def test_a_verb_that_does_not_exist(self):
        self.assertIn('did you mean "head"?', self.run_bad(2, "manual", "haed").err)
