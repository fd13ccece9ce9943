"""GraphQL schemas and queries of one believable API: seeded, so that a figure can be had again.

Files of different seeds share the API's types, and each knows only some of them.
"""

from __future__ import annotations

from random import Random
from typing import Final

TYPES: Final = {
    "Product": "title:String! price:Money! labels:[String!]! stock:Int category:Category",
    "Order": "number:String! customer:Customer! lines:[OrderLine!]! status:OrderStatus! placedAt:DateTime!",
    "OrderLine": "product:Product! quantity:Int! unitPrice:Money! discountRate:Float",
    "Customer": "fullName:String! email:String orders:[Order!]! segment:Segment createdAt:DateTime!",
    "Shipment": "order:Order! carrier:String! trackingCode:String vehicle:Vehicle deliveredAt:DateTime",
    "Vehicle": "plate:String! depot:Depot! payloadKg:Float odometerKm:Int! retired:Boolean!",
    "Depot": "code:ID! city:String! vehicles:[Vehicle!]! openedOn:Date",
    "Trip": "vehicle:Vehicle! driver:Driver startedAt:DateTime! distanceKm:Float stops:[Stop!]!",
    "Driver": "fullName:String! licenceClass:String hiredOn:Date trips:[Trip!]!",
    "Stop": "address:String! arrivedAt:DateTime note:String",
    "Money": "amount:Int! currency:Currency!",
    "Category": "name:String! parent:Category products:[Product!]!",
}
ENUMS: Final = {
    "OrderStatus": ["PLACED", "PACKED", "SHIPPED", "CANCELLED"],
    "Segment": ["RETAIL", "WHOLESALE", "STAFF"],
    "Currency": ["EUR", "CNY", "USD"],
}
NOTES: Final = [
    "What the customer reads.",
    "以最小货币单位计。",
    "Empty until it is delivered 🚚",
    "From the dispatch board.",
]
SCALARS: Final = ("String", "Int", "Float", "Boolean", "ID", "DateTime", "Date")


class GraphqlProject:
    """Writes definitions over some of the API's types."""

    def __init__(self, source: Random) -> None:
        self._source = source
        self._names = source.sample(sorted(TYPES), 9)
        self._serial = 0

    def header(self) -> str:
        """The first lines of a file."""
        return f"# {self._source.choice(['The dispatch API', 'Storefront', '订单接口'])}\n"

    def statement(self) -> str:
        """One definition or operation."""
        self._serial += 1
        writes = [
            self._type,
            self._input,
            self._enum,
            self._query,
            self._mutation,
            self._fragment,
            self._extension,
        ]
        return "\n" + self._source.choices(writes, [4, 2, 1, 3, 2, 2, 1])[0]() + "\n"

    def _fields(self, name: str) -> list[tuple[str, str]]:
        pairs = [one.split(":") for one in TYPES[name].split()]
        return [(field, kind) for field, kind in pairs]

    def _note(self, indent: str) -> str:
        note = self._source.choice(NOTES)
        choices = [
            "",
            "",
            "",
            f'{indent}"{note}"\n',
            f'{indent}"""\n{indent}{note}\n{indent}"""\n',
            f"{indent}# {note}\n",
        ]
        return self._source.choice(choices)

    def _type(self) -> str:
        name = self._source.choice(self._names)
        lines = "".join(
            f"{self._note('  ')}  {field}{self._parameters()}: {kind}{self._directive()}\n"
            for field, kind in self._fields(name)
        )
        return f"{self._note('')}type {name}{self._serial} implements Node {{\n  id: ID!\n{lines}}}"

    def _parameters(self) -> str:
        return self._source.choice(
            ["", "", "", "", "(first: Int = 20, after: String)", "(format: Format! = PLAIN)"]
        )

    def _directive(self) -> str:
        return self._source.choice(
            ["", "", "", "", ' @deprecated(reason: "Use `node`.")', " @cacheControl(maxAge: 60)"]
        )

    def _input(self) -> str:
        name = self._source.choice(self._names)
        lines = "".join(
            f"  {field}: {kind if kind.strip('[]!') in SCALARS else 'ID'}{self._source.choice(['', ' = null'])}\n"
            for field, kind in self._fields(name)
        )
        return f"input {name}Input{self._serial} {{\n{lines}}}"

    def _enum(self) -> str:
        name, values = self._source.choice(sorted(ENUMS.items()))
        return (
            f"{self._note('')}enum {name}{self._serial} {{\n" + "".join(f"  {one}\n" for one in values) + "}"
        )

    def _selection(self, name: str, depth: int, indent: str) -> str:
        lines = [f"{indent}id\n"]
        for field, kind in self._source.sample(self._fields(name), 2):
            inner = kind.strip("[]!")
            if inner in SCALARS or inner in ENUMS:
                lines.append(f"{indent}{self._source.choice(['', '', f'{field[0]}: '])}{field}\n")
            elif depth < 3:
                lines.append(
                    f"{indent}{field} {{\n{self._selection(inner, depth + 1, indent + '  ')}{indent}}}\n"
                )
        return "".join(lines)

    def _query(self) -> str:
        name = self._source.choice(self._names)
        root = name[0].lower() + name[1:]
        include = self._source.choice(["", " @include(if: $full)"])
        return (
            f"query {name}Page{self._serial}($id: ID!, $full: Boolean = true) {{\n"
            f"  {root}(id: $id){include} {{\n{self._selection(name, 0, '    ')}  }}\n}}"
        )

    def _mutation(self) -> str:
        name = self._source.choice(self._names)
        note = self._source.choice(["周末送货", "ring twice", "🚚 late"])
        return (
            f"mutation Update{name}{self._serial}($input: {name}Input!) {{\n"
            f'  update{name}(input: $input, options: {{ notify: true, note: "{note}", tags: ["a", "b"] }}) {{\n'
            f"{self._selection(name, 1, '    ')}  }}\n}}"
        )

    def _fragment(self) -> str:
        name = self._source.choice(self._names)
        return f"fragment {name}Fields{self._serial} on {name} {{\n{self._selection(name, 0, '  ')}}}"

    def _extension(self) -> str:
        name = self._source.choice(self._names)
        return f"extend type Query {{\n  all{name}s{self._serial}(first: Int! = 10, query: String): [{name}!]!\n}}"
