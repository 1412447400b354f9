#!/usr/bin/env python3
"""scripts/lab: what a run is named by, what it leaves, and what is told of it, with the simulator of $SSD.

Runs from the top of the tree, as `make test` does.
"""
import csv
import io
import unittest

from lab_fixture import Folder


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


class Table(Folder):
    def test_the_table_shows_what_was_run(self):
        """`lab table` prints results.tsv: every place, state and measure; it does no run."""
        before = rows_of(self.lab("table", self.at("sweep")).stdout)
        self.assertEqual({(row["state"], row["programs"]) for row in before}, {("missing", "")})
        self.lab("run", self.at("sweep"))
        shown = self.lab("table", self.at("sweep")).stdout
        self.assertEqual(shown, self.text("results/sweep/n-300/results.tsv"))
        self.assertEqual({row["state"] for row in rows_of(shown)}, {"done"})
        named = rows_of(self.lab("table", self.at("sweep"), "--show", "waf flash.erase.total").stdout)
        self.assertEqual(len(named), 16)
        self.assertTrue(all(float(row["waf"]) > 0 and row["flash.erase.total"] for row in named))


if __name__ == "__main__":
    unittest.main()
