"""A small stock-keeping module: the file that the demonstration types."""

from dataclasses import dataclass, field
from datetime import date


@dataclass
class Item:
    """One line of the inventory."""

    name: str
    price: float
    quantity: int = 0
    tags: list[str] = field(default_factory=list)

    def total(self) -> float:
        """The value of all pieces of this item."""
        return self.price * self.quantity


@dataclass
class Movement:
    """A change of one item's quantity on a day."""

    item: str
    change: int
    day: date


class Inventory:
    """All items, by name, and what happened to them."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self.movements: list[Movement] = []

    def add(self, item: Item) -> None:
        """Put an item on the list; its name must be new."""
        if item.name in self.items:
            raise ValueError(f"{item.name} is listed already")
        self.items[item.name] = item

    def remove(self, name: str) -> Item:
        """Take an item off the list."""
        if name not in self.items:
            raise KeyError(name)
        return self.items.pop(name)

    def total(self) -> float:
        """The value of everything."""
        return sum(item.total() for item in self.items.values())

    def move(self, name: str, change: int, day: date) -> None:
        """Change an item's quantity, and remember that it changed."""
        item = self.items[name]
        if item.quantity + change < 0:
            raise ValueError(f"only {item.quantity} of {name} are left")
        item.quantity += change
        self.movements.append(Movement(name, change, day))

    def with_tag(self, tag: str) -> list[Item]:
        """The items that have a tag, in the order of their names."""
        found = [item for item in self.items.values() if tag in item.tags]
        return sorted(found, key=lambda item: item.name)

    def cheapest(self, count: int) -> list[Item]:
        """The cheapest items, cheapest first."""
        return sorted(self.items.values(), key=lambda item: item.price)[:count]


def report(inventory: Inventory) -> str:
    """One line for each item, and the total."""
    lines = [f"{item.name}: {item.quantity} x {item.price:.2f}" for item in inventory.items.values()]
    lines.append(f"total: {inventory.total():.2f}")
    return "\n".join(lines)
