"""Structured text (IEC 61131-3) of one believable plant: seeded, so that a figure can be had again.

Files of different seeds share the plant's tags and function blocks, and each knows only some of them.
"""

from __future__ import annotations

from random import Random
from typing import Final

BOOLS: Final = [
    "xEmergencyStop", "xBottlePresent", "xFillValveOpen", "xPumpRunning", "xDoorClosed", "xConveyorOn",
    "xLevelHigh", "xLevelLow", "xResetButton", "xCapperReady",
]  # fmt: skip
NUMBERS: Final = [
    "rTankLevel", "rFlowRate", "rSetPoint", "rTemperature", "rPressureBar", "rMotorCurrent", "iBottleCount", "iRejects",
    "iRecipeStep", "iShiftNumber",
]  # fmt: skip
BLOCKS: Final = [
    "FB_Filler",
    "FB_Conveyor",
    "FB_Pump",
    "FB_Mixer",
    "FB_Valve",
    "FB_Capper",
    "FB_Heater",
    "FB_Labeler",
]
STATES: Final = ["Idle", "Starting", "Filling", "Capping", "Draining", "Fault"]
COMMENTS: Final = [
    "(* interlock: never open both valves *)", "// 急停优先于一切", "// debounce, see the wiring plan",
    "(* Füllstand in Millimetern; 液位单位为毫米 *)", "// recipe step ends here 🧪",
]  # fmt: skip


class StProject:
    """Writes program units over some of the plant's tags."""

    def __init__(self, source: Random) -> None:
        self._source = source
        self._bools = source.sample(BOOLS, 7)
        self._numbers = source.sample(NUMBERS, 7)
        self._blocks = source.sample(BLOCKS, 5)
        self._serial = 0

    def header(self) -> str:
        """The first lines of a file."""
        line = self._source.randint(1, 9)
        return f"(* Line {line}: {self._source.choice(['filling', 'mixing', '灌装', 'packing'])} *)\n"

    def statement(self) -> str:
        """One program, function or function block."""
        self._serial += 1
        write = self._source.choices(
            [self._block, self._program, self._function, self._globals], [5, 3, 2, 1]
        )[0]
        return f"\n{write()}\n"

    def _condition(self) -> str:
        source = self._source
        number = source.choice(self._numbers)
        parts = [
            source.choice([source.choice(self._bools), f"NOT {source.choice(self._bools)}"]),
            f"{number} {source.choice(['>', '<', '>=', '=', '<>'])} {self._number()}",
        ]
        return source.choice([" AND ", " OR "]).join(parts[: source.randint(1, 2)])

    def _number(self) -> str:
        return self._source.choice(
            [
                str(self._source.randint(0, 500)),
                f"{self._source.randint(0, 99)}.5",
                "16#00FF",
                "1.25E-2",
                "2#0000_1010",
            ]
        )

    def _value(self) -> str:
        a, b = self._source.choice(self._numbers), self._source.choice(self._numbers)
        return self._source.choice(
            [
                self._number(),
                a,
                f"{a} + {self._number()}",
                f"({a} - {b}) * 0.5",
                f"MAX({a}, {b})",
                f"LIMIT(0, {a}, 100)",
            ]
        )

    def _statements(self, depth: int, indent: str) -> str:
        lines = []
        for _ in range(self._source.randint(1, 3)):
            if self._source.random() < 0.15:
                lines.append(indent + self._source.choice(COMMENTS) + "\n")
            lines.append(self._one(depth, indent))
        return "".join(lines)

    def _one(self, depth: int, indent: str) -> str:
        source, inner = self._source, indent + "    "
        kind = source.random()
        if depth > 2 or kind < 0.35:
            target, value = source.choice(
                [
                    (source.choice(self._numbers), self._value()),
                    (source.choice(self._bools), self._condition()),
                ]
            )
            return f"{indent}{target} := {value};\n"
        if kind < 0.5:
            block = source.choice(self._blocks)
            return f"{indent}inst{block[3:]}(Enable := {self._condition()}, Target := {self._value()});\n"
        if kind < 0.7:
            other = f"{indent}ELSE\n{self._statements(depth + 1, inner)}" if source.random() < 0.4 else ""
            return f"{indent}IF {self._condition()} THEN\n{self._statements(depth + 1, inner)}{other}{indent}END_IF;\n"
        if kind < 0.8:
            return self._case(depth, indent)
        if kind < 0.9:
            return (
                f"{indent}FOR i := 0 TO {source.choice([7, 15, 31])} DO\n"
                f"{inner}aSamples[i] := {self._value()};\n{indent}END_FOR;\n"
            )
        if kind < 0.95:
            return (
                f"{indent}WHILE {self._condition()} DO\n{self._statements(depth + 1, inner)}{inner}EXIT;\n"
                f"{indent}END_WHILE;\n"
            )
        until = f"{indent}UNTIL {self._condition()}\n{indent}END_REPEAT;\n"
        return f"{indent}REPEAT\n{self._statements(depth + 1, inner)}{until}"

    def _case(self, depth: int, indent: str) -> str:
        inner = indent + "        "
        labels = ["0", "1", "2..5", "10, 12", "16#20"]
        branches = "".join(
            f"{indent}    {label}:\n{self._statements(depth + 1, inner)}"
            for label in sorted(self._source.sample(labels, 3))
        )
        return f"{indent}CASE iRecipeStep OF\n{branches}{indent}ELSE\n{inner}iRecipeStep := 0;\n{indent}END_CASE;\n"

    def _variables(self) -> str:
        source = self._source
        message = source.choice(["ready", "阀门已开", "check pump $$ 3"])
        lines = [
            f"    {name} : {'BOOL' if name.startswith('x') else 'REAL' if name.startswith('r') else 'INT'};\n"
            for name in source.sample(self._bools, 2) + source.sample(self._numbers, 2)
        ]
        lines += [
            "    i : INT := 0;\n",
            f"    aSamples : ARRAY[0..{source.choice([15, 31])}] OF REAL;\n",
            f"    tonDelay : TON := (PT := T#{source.choice(['5s', '250ms', '1m30s', '2h'])});\n",
            f"    sMessage : STRING({source.choice([40, 80])}) := '{message}';\n",
        ]
        return f"VAR\n{''.join(lines)}END_VAR\n"

    def _block(self) -> str:
        name = f"{self._source.choice(self._blocks)}_{self._serial:02}"
        inputs = "VAR_INPUT\n    Enable : BOOL;\n    Target : REAL := 0.0;\nEND_VAR\n"
        outputs = "VAR_OUTPUT\n    Done : BOOL;\n    ErrorCode : WORD;\nEND_VAR\n"
        body = self._variables() + self._statements(0, "    ")
        return f"FUNCTION_BLOCK {name}\n{inputs}{outputs}{body}END_FUNCTION_BLOCK"

    def _program(self) -> str:
        states = (
            f"    eState : ({', '.join(self._source.sample(STATES, 4))});\n"
            if self._source.random() < 0.5
            else ""
        )
        return (
            f"PROGRAM Station_{self._serial:02}\n{self._variables()}VAR\n{states}"
            f"    xLamp AT %QX{self._source.randint(0, 9)}.{self._source.randint(0, 7)} : BOOL;\nEND_VAR\n"
            f"{self._statements(0, '    ')}{self._statements(0, '    ')}END_PROGRAM"
        )

    def _function(self) -> str:
        name = f"Scale{self._source.choice(['Level', 'Flow', 'Pressure', 'Current'])}_{self._serial:02}"
        return (
            f"FUNCTION {name} : REAL\nVAR_INPUT\n    Raw : INT;\n    Gain : REAL := 0.01;\nEND_VAR\n"
            f"    {name} := INT_TO_REAL(Raw) * Gain - {self._number()};\nEND_FUNCTION"
        )

    def _globals(self) -> str:
        lines = [
            f"    {name} AT %IX{self._source.randint(0, 20)}.{self._source.randint(0, 7)} : BOOL; "
            f"{self._source.choice(COMMENTS)}\n"
            for name in self._source.sample(self._bools, 3)
        ]
        return f"VAR_GLOBAL\n{''.join(lines)}END_VAR"
