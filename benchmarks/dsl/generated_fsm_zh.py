"""State machines with Chinese keywords, of one believable business: seeded, so that a figure can be had again.

Files of different seeds share the business's terms, and each knows only some of them.
"""

from __future__ import annotations

from random import Random
from typing import Final

MACHINES: Final = [
    "订单处理",
    "退货审批",
    "仓库出库",
    "车辆调度",
    "发票开具",
    "会员升级",
    "电梯控制",
    "灌装工位",
    "客服工单",
]
STATES: Final = [
    "待支付", "待审核", "已审核", "待发货", "运输中", "已签收",
    "已完成", "已取消", "退款中", "维修中", "空闲", "排队中", "异常",
]  # fmt: skip
EVENTS: Final = [
    "支付成功", "支付失败", "审核通过", "审核驳回", "仓库已出库",
    "客户签收", "申请退款", "到达站点", "急停", "恢复", "取消", "车辆故障",
]  # fmt: skip
VARIABLES: Final = {
    "重试次数": "整数", "已付金额": "金额", "订单编号": "文本", "当前楼层": "整数", "载重": "实数", "是否加急": "布尔",
    "开始时间": "时间", "库存数量": "整数", "折扣": "实数", "车牌": "文本", "等待时限": "时长",
}  # fmt: skip
ACTIONS: Final = [
    "通知客户",
    "释放库存",
    "登记物流",
    "记账",
    "锁定库存",
    "分配车辆",
    "打印面单",
    "更新积分",
    "自检",
    "生成发票",
]
RECEIVERS: Final = ["客户", "仓库", "财务", "调度中心", "驱动器"]
TEXTS: Final = [
    "订单超时，请处理",
    "请尽快补货 📦",
    "system check",
    "金额不符",
    "车辆已到达 🚚",
    "等待人工复核",
]
COMMENTS: Final = [
    "// 超时后自动取消",
    "※ 与风控规则保持一致",
    "/* 夜间不派车 🌙 */",
    "// see the runbook, section 4",
    "// 金额单位：元",
]
GUARDS: Final = ["大于", "小于", "等于", "不小于", ">", "<=", "==", "≥"]


class FsmProject:
    """Writes state machines over some of the business's terms, in full-width or half-width punctuation."""

    def __init__(self, source: Random) -> None:
        self._source = source
        self._events = source.sample(EVENTS, 7)
        self._actions = source.sample(ACTIONS, 6)
        self._variables = source.sample(sorted(VARIABLES), 6)
        marks = list("；：，（）＝" if source.random() < 0.6 else ";:,()=")
        self._end, self._colon, self._comma, self._open, self._close, self._equals = marks
        self._serial = 0

    def header(self) -> str:
        """The first lines of a file."""
        imported = f'引入 "公共/{self._source.choice(RECEIVERS)}.fsm"{self._end}'
        return f"// {self._source.choice(MACHINES)}相关流程\n{imported}\n"

    def statement(self) -> str:
        """One state machine."""
        self._serial += 1
        name = f"{self._source.choice(MACHINES)}_{self._serial}"
        states = self._source.sample(STATES, self._source.randint(3, 6))
        lines = [
            f'    版本{self._colon}"{self._source.randint(1, 4)}.{self._source.randint(0, 9)}"{self._end}',
            *(self._variable(one) for one in self._variables[:4]),
            *(self._event(one) for one in self._events[:4]),
            *(self._state(one, states, initial=one == states[0]) for one in states),
            f"    终止 状态 结束{self._end}",
        ]
        body = "\n".join(lines)
        return f"\n状态机 {name} {{\n{body}\n}}\n"

    def _arguments(self, *values: str) -> str:
        return self._open + self._comma.join(values) + self._close

    def _text(self) -> str:
        text = self._source.choice(TEXTS)
        return self._source.choice([f'"{text}"', f"“{text}”"])

    def _value(self, kind: str) -> str:
        match kind:
            case "整数":
                return str(self._source.randint(0, 90))
            case "金额" | "实数":
                return f"{self._source.randint(0, 900)}.{self._source.randint(10, 99)}"
            case "布尔":
                return self._source.choice(["真", "假"])
            case "时长":
                return f"{self._source.randint(1, 60)} {self._source.choice(['秒', '分钟', '小时'])}"
            case "时间":
                return "当前时间" + self._open + self._close
            case _:
                return self._text()

    def _variable(self, name: str) -> str:
        kind = VARIABLES[name]
        return f"    变量 {name}{self._colon}{kind} {self._equals} {self._value(kind)}{self._end}"

    def _event(self, name: str) -> str:
        parameter = self._source.choice(
            ["", self._arguments(f"单号{self._colon}文本"), self._arguments(f"金额{self._colon}金额")]
        )
        return f"    事件 {name}{parameter}{self._end}"

    def _guard(self) -> str:
        name = self._source.choice(self._variables)
        kind = VARIABLES[name]
        if kind == "布尔":
            return self._source.choice([name, f"非 {name}"])
        return f"{name} {self._source.choice(GUARDS)} {self._value(kind)}"

    def _call(self) -> str:
        argument = self._source.choice([*self._variables, self._text(), ""])
        return self._source.choice(self._actions) + self._arguments(*([argument] if argument else []))

    def _statement(self, indent: str) -> str:
        source = self._source
        name = source.choice(self._variables)
        return indent + source.choice(
            [
                f"{name} {self._equals} {self._value(VARIABLES[name])}{self._end}",
                f"{self._call()}{self._end}",
                f"发送 {source.choice(self._events)} 给 {source.choice(RECEIVERS)}{self._end}",
                f"记录 {source.choice(['信息', '警告', '错误'])} {self._text()}{self._end}",
                f"等待 {source.randint(1, 30)} 秒{self._end}",
                f"如果 {self._guard()} {{\n{indent}    {self._call()}{self._end}\n{indent}}}",
            ]
        )

    def _transition(self, states: list[str]) -> str:
        source = self._source
        event = source.choice(
            [source.choice(self._events), "超时" + self._arguments(f"{source.randint(1, 30)} 分钟")]
        )
        guard = f" 且 {self._guard()}" if source.random() < 0.4 else ""
        action = f"{self._comma}执行 {self._call()}" if source.random() < 0.4 else ""
        return f"        当 {event}{guard} 时 转到 {source.choice(states)}{action}{self._end}"

    def _state(self, name: str, states: list[str], *, initial: bool) -> str:
        lines = []
        if self._source.random() < 0.3:
            lines.append("        " + self._source.choice(COMMENTS))
        if self._source.random() < 0.6:
            statements = "\n".join(self._statement(" " * 12) for _ in range(self._source.randint(1, 3)))
            lines.append(f"        {self._source.choice(['进入时', '退出时'])} {{\n{statements}\n        }}")
        lines += [self._transition(states) for _ in range(self._source.randint(1, 3))]
        body = "\n".join(lines)
        return f"    {'初始 ' if initial else ''}状态 {name} {{\n{body}\n    }}"
