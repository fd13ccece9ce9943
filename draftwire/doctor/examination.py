"""The whole examination, hop by hop, in the order of the data path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from daemon.api.errors import RuntimePathError
from daemon.api.paths import RuntimePaths, runtime_paths
from daemon.settings.config import Config, ConfigError
from draftwire.doctor import bridge_hop, daemon_hop, editors, grammars_hop, installation
from draftwire.doctor.findings import Finding

OnFinding = Callable[[Finding], None]
OnStep = Callable[[str], None]


async def examine(config_file: Path | None, found: OnFinding, step: OnStep, *, start: bool) -> None:
    """Run every check; `found` is called for each outcome, `step` with what is being looked at."""
    step("the installation")
    found(installation.check_python())
    for finding in installation.check_packages():
        found(finding)
    config, findings = installation.check_config(config_file)
    for finding in findings:
        found(finding)
    step("editors")
    for finding in await asyncio.to_thread(lambda: list(editors.check_editors())):
        found(finding)
    step("the bridge")
    found(await bridge_hop.check_bridge())
    step("the daemon")
    await _examine_daemon(found, start=start)
    if config is not None:
        step("grammars")
        for finding in await grammars_hop.check_grammars(
            config, Path(), lambda name: step(f"the grammar {name}")
        ):
            found(finding)
        await _examine_model_and_verifier(config, found, step)


async def _examine_daemon(found: OnFinding, *, start: bool) -> None:
    try:
        paths: RuntimePaths = runtime_paths()
    except RuntimePathError as error:
        found(Finding("daemon", "runtime directory", "failed", str(error), "see the message"))
        return
    directory = installation.check_runtime_directory(paths)
    found(directory)
    if directory.level != "ok":
        return
    _, findings = await daemon_hop.check_daemon(paths, start=start)
    for finding in findings:
        found(finding)


async def _examine_model_and_verifier(config: Config, found: OnFinding, step: OnStep) -> None:
    from daemon.serving.server import link_settings
    from draftwire.doctor import model_hop, verifier_hop

    step("the draft model")
    engine, findings = await asyncio.to_thread(model_hop.check_model, config)
    for finding in findings:
        found(finding)
    try:
        step("the verifier")
        for finding in await verifier_hop.check_verifier(link_settings(config), engine):
            found(finding)
    except ConfigError:
        pass  # the token, named among the installation's findings
    finally:
        if engine is not None:
            engine.close()
