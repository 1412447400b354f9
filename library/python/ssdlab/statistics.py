"""Statistics of a drive, as `ssd run --json` writes them."""

import fnmatch
import html
import importlib
import json
from typing import Any, Dict, Iterator, Mapping, Optional

from .errors import Mistake


class Statistics(Mapping[str, Any]):
    """All statistics at one moment, by name: `statistics["waf"]`.

    Each is an int, a float or, as run.ftl, a text.  A number that has no value, such as the mean latency of
    no requests, is None.

    Attributes:
        units: unit of each statistic, "" if it has none.
        parameters: every parameter in effect.
    """

    def __init__(self, text: str) -> None:
        known = json.loads(text)
        self._values: Dict[str, Any] = known["statistics"]
        self.units: Dict[str, str] = known["units"]
        self.parameters: Dict[str, Any] = known["parameters"]

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<{len(self)} statistics: waf {self.get('waf')}, {self.get('run.served')} requests served>"

    def to_pandas(self, pattern: Optional[str] = None) -> Any:
        """A pandas.DataFrame with columns value and unit, indexed by name.

        Args:
            pattern: only names that match, with * and ?: "gc.*".
        """
        names = [name for name in self if pattern is None or fnmatch.fnmatchcase(name, pattern)]
        if not names:
            raise Mistake(f'there is no statistic "{pattern}"; list(statistics) shows all')
        pandas = importlib.import_module("pandas")
        rows = {"value": [self[name] for name in names], "unit": [self.units.get(name, "") for name in names]}
        return pandas.DataFrame(rows, index=pandas.Index(names, name="statistic"))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td style='text-align:right'>{html.escape(str(value))}</td>"
            f"<td>{html.escape(self.units.get(name, ''))}</td></tr>"
            for name, value in self.items()
            if value is not None
        )
        return f"<table><tr><th>statistic</th><th>value</th><th>unit</th></tr>{rows}</table>"
