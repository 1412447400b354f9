"""What all grading shares: points, told as they are won; programs that are run and may not end."""
import subprocess

SECONDS = 60


class Points:
    def __init__(self):
        self.won = self.most = 0

    def give(self, won, most, text):
        self.won += won
        self.most += most
        print("  %3d of %3d  %s" % (won, most, text), flush=True)
        return won == most


def call(command, **more):
    """Status, output and messages; -1 if it does not end."""
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=SECONDS,
            **more
        )
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return -1, "", "it does not end within %d s" % SECONDS


def indent(text):
    print("".join("    %s\n" % line for line in text.rstrip().splitlines()))
