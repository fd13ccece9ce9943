"""Graphviz DOT files of one believable architecture: seeded, so that a figure can be had again.

Files of different seeds share the services and teams, and each knows only some of them.
"""

from __future__ import annotations

from random import Random
from typing import Final

SERVICES: Final = [
    "gateway", "cart", "checkout", "pricing", "inventory", "payment", "orders", "shipping", "dispatch", "tracking",
    "mailer", "search", "catalog", "accounts", "billing", "reports", "route_planner", "telemetry", "仓库",
    "notifications",
]  # fmt: skip
STORES: Final = [
    "orders_db",
    "carts_redis",
    "events_log",
    "search_index",
    "blob_store",
    "audit_db",
    "metrics_tsdb",
]
TEAMS: Final = ["storefront", "fulfilment", "logistics", "platform", "数据平台"]
SHAPES: Final = ["box", "component", "ellipse", "hexagon", "cylinder", "note"]
COLORS: Final = ['"#f4f6f8"', '"#e8f1fb"', "lightgrey", "white", '"#fdebd0"', "palegreen"]
LABELS: Final = [
    "gRPC",
    "HTTP/2",
    "events",
    "nightly",
    "重试 3 次",
    "async 📨",
    "read only",
    "mTLS\\nport 8443",
]
COMMENTS: Final = [
    "// what burns first when this is down", "/* 数据流：从左到右 */", "// kept by hand; see the deployment for truth",
    "# generated from the service catalog ⚙",
]  # fmt: skip


class DotProject:
    """Writes graphs over some of the services."""

    def __init__(self, source: Random) -> None:
        self._source = source
        self._services = source.sample(SERVICES, 12)
        self._stores = source.sample(STORES, 4)
        self._serial = 0

    def header(self) -> str:
        """The first lines of a file."""
        return f"// Maps of team {self._source.choice(TEAMS)}.\n"

    def statement(self) -> str:
        """One graph."""
        self._serial += 1
        directed = self._source.random() < 0.8
        lines = [
            "    rankdir=LR;" if directed else "    layout=neato;",
            f'    graph [fontname="Inter", label="{self._source.choice(TEAMS)} {self._serial}"];',
            f"    node [shape={self._source.choice(SHAPES)}, style=filled, fillcolor={self._source.choice(COLORS)}];",
        ]
        for index in range(self._source.randint(1, 3)):
            lines.append(self._cluster(index, directed=directed))
        lines += [self._node(name) for name in self._source.sample(self._stores, 2)]
        lines += [self._edge(directed=directed) for _ in range(self._source.randint(5, 14))]
        if self._source.random() < 0.5:
            lines.append(self._legend())
        kind = "digraph" if directed else self._source.choice(["graph", "strict graph"])
        body = "\n".join(lines)
        return f"\n{kind} map_{self._serial:02} {{\n{body}\n}}\n"

    def _node(self, name: str, indent: str = "    ") -> str:
        label = f'label="{name}\\n{self._source.choice(TEAMS)}"'
        extra = self._source.choice(
            ["", f", fillcolor={self._source.choice(COLORS)}", ", penwidth=1.5", ", width=.9"]
        )
        return f"{indent}{name} [{label}{extra}];"

    def _cluster(self, index: int, *, directed: bool) -> str:
        names = self._source.sample(self._services, 3)
        inner = "\n".join(self._node(name, " " * 8) for name in names)
        chain = (" -> " if directed else " -- ").join(names)
        comment = f"        {self._source.choice(COMMENTS[:3])}\n" if self._source.random() < 0.4 else ""
        return (
            f'    subgraph cluster_{index} {{\n{comment}        label = "{self._source.choice(TEAMS)}";\n'
            f"        color = {self._source.choice(COLORS)};\n{inner}\n        {chain};\n    }}"
        )

    def _edge(self, *, directed: bool) -> str:
        operator = "->" if directed else "--"
        a, b = self._source.sample(self._services, 2)
        end = self._source.choice(
            [b, b, b, self._source.choice(self._stores), f"{{ {b}; {self._stores[0]} }}", f"{b}:n"]
        )
        attributes = self._source.choice(
            [
                "",
                f' [label="{self._source.choice(LABELS)}"]',
                f' [label="{self._source.choice(LABELS)}", style=dashed, weight={self._source.randint(1, 5)}]',
                " [color=firebrick, penwidth=1.5]",
            ]
        )
        return f"    {a} {operator} {end}{attributes};"

    def _legend(self) -> str:
        rows = "".join(
            f"<tr><td>{name}</td><td><b>{self._source.choice(TEAMS)}</b></td></tr>"
            for name in self._services[:2]
        )
        return f'    legend [shape=none, label=<<table border="0" cellspacing="0">{rows}</table>>];'
