"""SQL files of one believable project, a shop with its own vehicles: seeded, so that a figure can be had again.

Files of different seeds share the project's tables, and each knows only some of them.
"""

from __future__ import annotations

from random import Random
from typing import Final

TABLES: Final = {
    "customers": "customer_id:id full_name:name email:mail city:city segment:segment created_at:time",
    "orders": "order_id:id customer_id:id status:status total_amount:money currency:currency placed_at:time note:note",
    "order_lines": "order_line_id:id order_id:id sku:sku quantity:count unit_price:money discount_rate:rate",
    "products": "sku:sku title:title category:category list_price:money weight_kg:rate active:flag",
    "shipments": "shipment_id:id order_id:id vehicle_id:id carrier:carrier shipped_at:time delivered_at:time",
    "vehicles": "vehicle_id:id plate:plate depot_code:depot payload_kg:count odometer_km:count retired:flag",
    "trips": "trip_id:id vehicle_id:id driver_id:id started_at:time ended_at:time distance_km:count",
    "drivers": "driver_id:id full_name:name licence_class:segment depot_code:depot hired_on:day",
    "invoices": "invoice_id:id order_id:id due_on:day paid_at:time amount_due:money reminder_level:count",
    "warehouse_stock": "sku:sku depot_code:depot on_hand:count reserved:count counted_at:time",
}
KEYS: Final = {
    ("orders", "customers"): "customer_id",
    ("order_lines", "orders"): "order_id",
    ("order_lines", "products"): "sku",
    ("shipments", "orders"): "order_id",
    ("shipments", "vehicles"): "vehicle_id",
    ("trips", "vehicles"): "vehicle_id",
    ("trips", "drivers"): "driver_id",
    ("invoices", "orders"): "order_id",
    ("warehouse_stock", "products"): "sku",
}
TYPES: Final = {
    "id": "bigint", "count": "integer", "money": "numeric(12, 2)", "rate": "numeric(5, 4)", "flag": "boolean",
    "time": "timestamptz", "day": "date", "currency": "char(3)", "sku": "varchar(24)", "plate": "varchar(16)",
}  # fmt: skip
VALUES: Final = {
    "name": ["'Ada Byron'", "'王小明'", "'Søren Dahl'", "'O''Neill'"],
    "mail": ["'ada@example.com'", "'xiaoming@example.cn'"],
    "city": ["'Hamburg'", "'上海'", "'Porto'", "'Leeds'"],
    "segment": ["'retail'", "'wholesale'", "'C1E'"],
    "status": ["'placed'", "'packed'", "'shipped'", "'cancelled'"],
    "currency": ["'EUR'", "'CNY'", "'USD'"],
    "note": ["NULL", "'请放在门口 📦'", "'ring twice'", "''"],
    "sku": ["'BK-1042'", "'LM-0007'", "'TB-3311'"],
    "title": ["'Folding bike'", "'台灯'", "'Trail boots ⛰'"],
    "category": ["'outdoor'", "'lighting'"],
    "carrier": ["'own fleet'", "'DHL'", "'顺丰'"],
    "plate": ["'HH-FD 204'", "'沪A·D1234'"],
    "depot": ["'HAM-2'", "'SHA-1'", "'OPO-1'"],
    "flag": ["true", "false"],
}
COMMENTS: Final = [
    "-- Vehicles that are due for service", "-- 每日营收：按城市汇总", "-- keep in step with the dispatch board",
    "/* Money is in the order's own currency. */", "-- TODO: partition by month 🗓", "-- 已取消的订单不计入",
]  # fmt: skip


class SqlProject:
    """Writes statements over some of the project's tables."""

    def __init__(self, source: Random) -> None:
        self._source = source
        names = source.sample(sorted(TABLES), 7)
        self._columns = {name: [tuple(one.split(":")) for one in TABLES[name].split()] for name in names}
        self._joins = [(a, b, key) for (a, b), key in KEYS.items() if a in names and b in names]

    def header(self) -> str:
        """The first lines of a file."""
        return f"-- {self._source.choice(['Morning report', 'Nightly maintenance', '月末结算'])}\n"

    def statement(self) -> str:
        """One statement, with a comment at times."""
        write = self._source.choices(
            [
                self._select,
                self._aggregate,
                self._insert,
                self._update,
                self._table,
                self._view,
                self._delete,
            ],
            [6, 4, 3, 2, 1, 2, 1],
        )[0]
        comment = self._source.choice(COMMENTS) + "\n" if self._source.random() < 0.3 else ""
        return f"\n{comment}{write()};\n"

    def _pick(self) -> tuple[str, list[tuple[str, ...]]]:
        return self._source.choice(sorted(self._columns.items()))

    def _value(self, kind: str) -> str:
        source = self._source
        match kind:
            case "id" | "count":
                return str(source.randint(1, 9000))
            case "money":
                return f"{source.randint(1, 900)}.{source.randint(0, 99):02}"
            case "rate":
                return f"0.{source.randint(1, 9999):04}"
            case "time":
                return source.choice(["now()", "NULL", f"'2026-{source.randint(1, 12):02}-14T06:30:00Z'"])
            case "day":
                return source.choice(["current_date", f"DATE '2026-{source.randint(1, 12):02}-01'"])
            case _:
                return source.choice(VALUES[kind])

    def _condition(self, alias: str, columns: list[tuple[str, ...]]) -> str:
        name, kind = self._source.choice(columns)
        column = f"{alias}{name}"
        match kind:
            case "time" | "day":
                return self._source.choice(
                    [
                        f"{column} IS NOT NULL",
                        f"{column} >= now() - INTERVAL '{self._source.randint(1, 90)} days'",
                    ]
                )
            case "count" | "money" | "rate" | "id":
                operator = self._source.choice(["=", ">", "<=", "<>"])
                between = f"{column} BETWEEN {self._value('count')} AND {self._value('count')}"
                return self._source.choice([f"{column} {operator} {self._value(kind)}", between])
            case "flag":
                return self._source.choice([column, f"NOT {column}"])
            case _:
                listed = ", ".join(self._value(kind) for _ in range(self._source.randint(2, 3)))
                return self._source.choice(
                    [f"{column} IN ({listed})", f"{column} LIKE 'A%'", f"lower({column}) = :wanted"]
                )

    def _where(self, alias: str, columns: list[tuple[str, ...]]) -> str:
        conditions = [self._condition(alias, columns) for _ in range(self._source.randint(1, 3))]
        return "\nWHERE " + self._source.choice(["\n    AND ", " OR "]).join(conditions)

    def _select(self) -> str:
        if not self._joins or self._source.random() < 0.3:
            table, columns = self._pick()
            listed = ", ".join(name for name, _ in self._source.sample(columns, 3))
            return f"SELECT {listed}\nFROM {table}{self._where('', columns)}{self._tail(columns[0][0])}"
        left, right, key = self._source.choice(self._joins)
        a, b = left[0], right[0] + ("2" if left[0] == right[0] else "")
        names = [f"{a}.{name}" for name, _ in self._source.sample(self._columns[left], 2)]
        names += [f"{b}.{name} AS {right.rstrip('s')}_{name}" for name, _ in self._columns[right][1:3]]
        join = self._source.choice(["JOIN", "LEFT JOIN", "INNER JOIN"])
        listed = ",\n    ".join(names)
        return (
            f"SELECT\n    {listed}\nFROM {left} {a}\n    {join} {right} {b} ON {b}.{key} = {a}.{key}"
            f"{self._where(f'{a}.', self._columns[left])}{self._tail(names[0])}"
        )

    def _tail(self, column: str) -> str:
        order = f"\nORDER BY {column} {self._source.choice(['ASC', 'DESC', 'DESC NULLS LAST'])}"
        limit = f"\nLIMIT {self._source.choice([10, 20, 50, 100])}"
        return self._source.choice(["", order, order + limit])

    def _aggregate(self) -> str:
        table, columns = self._pick()
        group = columns[1][0]
        measure = next((name for name, kind in columns if kind in ("money", "count", "rate")), None)
        total = "count(*)" if measure is None else self._source.choice([f"sum({measure})", f"avg({measure})"])
        window = f",\n    row_number() OVER (PARTITION BY {group} ORDER BY {total} DESC) AS position"
        with_window = window if self._source.random() < 0.4 else ""
        having = f"\nHAVING {total} > {self._value('count')}" if self._source.random() < 0.4 else ""
        return (
            f"WITH recent AS (\n    SELECT * FROM {table}{self._where('', columns)}\n)\n"
            f"SELECT {group}, {total} AS total{with_window}\nFROM recent\nGROUP BY {group}{having}\nORDER BY total DESC"
        )

    def _insert(self) -> str:
        table, columns = self._pick()
        rows = [
            "(" + ", ".join(self._value(kind) for _, kind in columns) + ")"
            for _ in range(self._source.randint(1, 4))
        ]
        conflict = f"\nON CONFLICT ({columns[0][0]}) DO NOTHING" if self._source.random() < 0.3 else ""
        names = ", ".join(name for name, _ in columns)
        listed = ",\n    ".join(rows)
        return f"INSERT INTO {table} ({names})\nVALUES {listed}{conflict}"

    def _update(self) -> str:
        table, columns = self._pick()
        name, kind = self._source.choice(columns[1:])
        return f"UPDATE {table}\nSET {name} = {self._value(kind)}{self._where('', columns)}"

    def _delete(self) -> str:
        table, columns = self._pick()
        return f"DELETE FROM {table}{self._where('', columns)}"

    def _table(self) -> str:
        table, columns = self._pick()
        lines = [f"    {name} {TYPES.get(kind, 'text')}" for name, kind in columns]
        lines[0] += " NOT NULL PRIMARY KEY"
        lines[1] += self._source.choice([" NOT NULL", " DEFAULT NULL", ""])
        listed = ",\n".join(lines)
        return f"CREATE TABLE IF NOT EXISTS {table} (\n{listed}\n)"

    def _view(self) -> str:
        return f"CREATE OR REPLACE VIEW report_{self._source.randint(1, 400):03} AS\n{self._select()}"
