"""PromQL rule files of one believable platform: seeded, so that a figure can be had again.

Files of different seeds share the platform's metrics and labels, and each knows only some of them.
"""

from __future__ import annotations

from random import Random
from typing import Final

COUNTERS: Final = [
    "http_requests_total", "grpc_server_handled_total", "orders_created_total", "queue_jobs_total",
    "cache_misses_total", "payment_attempts_total", "node_network_receive_bytes_total", "shipment_scans_total",
]  # fmt: skip
GAUGES: Final = [
    "queue_depth", "node_memory_MemAvailable_bytes", "process_open_fds", "warehouse_stock_units",
    "vehicle_battery_charge_ratio", "db_connections_in_use", "node_filesystem_avail_bytes", "up",
]  # fmt: skip
HISTOGRAMS: Final = [
    "http_request_duration_seconds", "db_query_duration_seconds", "route_planning_seconds", "checkout_duration_seconds",
]  # fmt: skip
LABELS: Final = {
    "job": ["api", "checkout", "search", "dispatch"],
    "instance": ["10.0.3.7:9100", "node-14"],
    "namespace": ["shop", "fleet", "platform"],
    "code": ["5..", "200", "429"],
    "method": ["GET|HEAD", "POST"],
    "region": ["eu-central", "华东"],
    "depot": ["HAM-2", "SHA-1"],
}
TEAMS: Final = ["edge", "payments", "logistics", "platform"]
COMMENTS: Final = [
    "# Recorded for the dashboards of the dispatch room", "# 错误预算：每月 0.1%", "# page only if it lasts",
    "# 队列积压超过十分钟才告警 🚨", "# the slow quantile; the mean hides it",
]  # fmt: skip
SUMMARIES: Final = [
    "{{ $labels.job }} is slow",
    "队列积压：{{ $value }}",
    "budget burns too fast 🔥",
    "disk is full soon",
]


class PromqlProject:
    """Writes rules over some of the platform's metrics."""

    def __init__(self, source: Random) -> None:
        self._source = source
        self._counters = source.sample(COUNTERS, 5)
        self._gauges = source.sample(GAUGES, 5)
        self._histograms = source.sample(HISTOGRAMS, 2)
        self._labels = source.sample(sorted(LABELS), 5)

    def header(self) -> str:
        """The first lines of a file."""
        return f"# Rules of team {self._source.choice(TEAMS)}.\n"

    def statement(self) -> str:
        """One rule, with a comment at times."""
        write = self._source.choices([self._recording, self._alerting], [3, 2])[0]
        comment = self._source.choice(COMMENTS) + "\n" if self._source.random() < 0.3 else ""
        return f"\n{comment}{write()}\n"

    def _range(self) -> str:
        return self._source.choice(["1m", "5m", "5m", "30m", "1h", "1h30m"])

    def _selector(self, metric: str) -> str:
        chosen = self._source.sample(self._labels, self._source.randint(0, 2))
        matchers = [
            f'{label}{self._source.choice(["=", "=~", "!=", "!~"])}"{self._source.choice(LABELS[label])}"'
            for label in chosen
        ]
        return metric + ("{" + ", ".join(matchers) + "}" if matchers else "")

    def _by(self) -> str:
        listed = ", ".join(self._source.sample(self._labels, self._source.randint(1, 2)))
        return f"{self._source.choice(['by', 'by', 'without'])} ({listed})"

    def _rate(self) -> str:
        function = self._source.choice(["rate", "rate", "increase", "irate"])
        return f"{function}({self._selector(self._source.choice(self._counters))}[{self._range()}])"

    def _quantile(self) -> str:
        metric = self._source.choice(self._histograms)
        return (
            f"histogram_quantile(0.{self._source.choice([5, 9, 95, 99])}, "
            f"sum by (job, le) (rate({self._selector(metric + '_bucket')}[{self._range()}])))"
        )

    def _gauge(self) -> str:
        metric = self._selector(self._source.choice(self._gauges))
        return self._source.choice(
            [
                metric,
                f"max_over_time({metric}[{self._range()}])",
                f"{metric} offset {self._source.choice(['1d', '1w'])}",
                f"deriv({metric}[{self._range()}])",
            ]
        )

    def _expression(self, depth: int = 0) -> str:
        source = self._source
        choice = source.random()
        if depth > 1 or choice < 0.3:
            aggregate = source.choice(["sum", "avg", "max", "min"])
            return f"{aggregate} {self._by()} ({source.choice([self._rate, self._gauge])()})"
        if choice < 0.45:
            return self._quantile()
        if choice < 0.6:
            return f"topk(5, {self._expression(depth + 1)})"
        operator = source.choice(["/", "-", "+", "*", "/ on (job) group_left (namespace)", "and", "unless"])
        return f"{self._expression(depth + 1)}\n  {operator}\n  {self._expression(depth + 1)}"

    def _recording(self) -> str:
        level = ":".join(["job", self._source.choice(["http", "orders", "queue", "fleet", "db"])])
        name = f"{level}_{self._source.choice(['errors', 'latency', 'depth', 'rate'])}:{self._range()}"
        return f"{name} =\n  {self._expression()}"

    def _alerting(self) -> str:
        source = self._source
        name = source.choice(["Latency", "Errors", "Backlog", "Disk", "Battery", "Stock"])
        name += source.choice(["High", "Low", "Growing", "BurnFast", "Missing"])
        limit = source.choice(["0.001", "0.75", "14.4 * 0.001", "100", "2 * 1024 ^ 3"])
        severity = source.choice(["page", "ticket", "info"])
        return (
            f"ALERT {name}\n  IF {self._expression(1)} {source.choice(['>', '<', '>=', '=='])} {limit}\n"
            f"  FOR {source.choice(['2m', '5m', '10m', '1h'])}\n"
            f'  LABELS {{ severity = "{severity}", team = "{source.choice(TEAMS)}" }}\n'
            f'  ANNOTATIONS {{ summary = "{source.choice(SUMMARIES)}" }}'
        )
