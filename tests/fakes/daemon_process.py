"""The real daemon with the scripted engine, as a process: `python -m tests.fakes.daemon_process TEXT_FILE`.

The engine knows the file's text by heart. The runtime directory comes from the environment, as in production.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from daemon.api.paths import runtime_paths
from daemon.serving.server import AlreadyRunning, run_daemon
from daemon.settings.config import load_config
from tests.fakes.engine import FakeEngine, following

if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text("utf-8")
    idle_s = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    config = load_config()
    config = replace(config, daemon=replace(config.daemon, idle_exit_s=idle_s))
    try:
        asyncio.run(run_daemon(config, runtime_paths(), lambda: FakeEngine(following(text))))
    except AlreadyRunning:
        raise SystemExit(75) from None
