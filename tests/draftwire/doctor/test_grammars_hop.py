"""What doctor says of grammars: well, refused, not trusted, hidden, named and not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.grammars import lookout as grammar_lookout
from daemon.settings.config import parse_config
from draftwire.doctor import grammars_hop
from draftwire.doctor.findings import Finding
from draftwire.doctor.grammars_hop import check_grammars
from draftwire.grammar.sources import in_file
from draftwire.grammar.survey import State, Surveyed
from tests.fakes.orders import BROKEN, GRAMMAR, write

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def _few_built_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(grammar_lookout, "built_in_folder", lambda: tmp_path / "built in")
    write(tmp_path / "built in", GRAMMAR.replace("orders", "ours").replace("*.ord", "*.our"), "ours.bnf")


async def look(tmp_path: Path, settings: str = "") -> dict[str, Finding]:
    config = parse_config(f'draft.cache_dir = "{tmp_path / "cache"}"\n{settings}', tmp_path / "config.toml")
    steps: list[str] = []
    found = await check_grammars(config, tmp_path / "project", steps.append)
    assert all(one.hop == "grammars" for one in found)
    return {one.check: one for one in found}


async def test_built_in_grammars_that_are_well_share_a_line(tmp_path: Path) -> None:
    assert await look(tmp_path) == {"built in": Finding("grammars", "built in", "ok", "ours")}


async def test_each_of_the_users_has_a_line_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "grammars")
    write(tmp_path / "grammars", BROKEN.replace("orders", "broken"), "broken.bnf")
    write(tmp_path / "grammars", GRAMMAR.replace("orders", "ours"), "again.bnf")
    found = await look(tmp_path)
    assert found["orders"].level == "ok"
    assert found["orders"].text.startswith("for *.ord (user, ")
    broken = found["broken"]
    assert (broken.level, broken.fix) == (
        "warning",
        f"run: draftwire grammar check {tmp_path / 'grammars' / 'broken.bnf'}",
    )
    assert broken.text.startswith("refused: line 9: name refers to letter, which is not defined")
    assert found["built in"].text == "none"
    assert found["ours"].level in ("ok", "info")


@pytest.mark.parametrize("state", ["refused", "busy", "hidden", "not trusted"])
async def test_states_have_the_words_of_the_list_of_grammars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: State
) -> None:
    """A machine that was too busy has refused nothing."""
    known = in_file(write(tmp_path, name="mine.bnf"))

    async def survey(*_: object, **__: object) -> list[Surveyed]:
        return [Surveyed(known, state, "the reason", (), (), (), tmp_path)]

    monkeypatch.setattr(grammars_hop, "survey", survey)
    finding = (await look(tmp_path))["orders"]
    assert finding.text.startswith(state)
    assert bool(finding.fix) == (state != "hidden")


async def test_a_project_that_is_not_trusted_has_the_command_as_fix(tmp_path: Path) -> None:
    write(tmp_path / "project" / ".draftwire" / "grammars")
    found = (await look(tmp_path))["orders"]
    assert found.level == "warning"
    assert found.text.startswith("not trusted, so not in use (workspace, ")
    assert found.fix == f"if you trust that project, run: draftwire grammar trust {tmp_path / 'project'}"
    assert (await look(tmp_path, "grammars.trust_workspace = true"))["orders"].level == "ok"


async def test_settings_that_name_what_is_not_there(tmp_path: Path) -> None:
    settings = (
        '[grammars.files]\n"*.x" = "gone"\n"*.y" = "none"\n"*.z" = "ours"\n[grammars.languages]\nq = "lost"\n'
    )
    found = await look(tmp_path, settings)
    assert found["gone"].text == '"*.x" in [grammars.files] names a grammar that is not in use here'
    assert found["gone"].fix == "mend the name; the grammars are ours"
    assert found["lost"].level == "warning"
    assert set(found) == {"built in", "gone", "lost"}


async def test_switched_off(tmp_path: Path) -> None:
    assert (await look(tmp_path, "grammars.enabled = false"))["grammars"].level == "info"
