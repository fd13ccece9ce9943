"""Can the verifier be reached and does it accept this draft model: name, port, TLS, token, vocabulary, told apart.

The handshake is the daemon's own link, so what it finds is what the daemon meets.
"""

from __future__ import annotations

import asyncio
import socket
import time

from daemon.draft.engine import DraftEngine
from daemon.serving.service import hello_of
from daemon.target.link_address import LinkSettings
from daemon.target.verifier_link import VerifierLink
from draftwire.doctor.findings import Finding, shortened

TCP_TIMEOUT_S = 5.0
HANDSHAKE_TIMEOUT_S = 15.0


async def check_verifier(settings: LinkSettings | None, engine: DraftEngine | None) -> list[Finding]:
    """Every step up to the first that fails. Without an engine the handshake can't be made."""
    if settings is None:
        text = "none configured (verifier.url is empty): local drafts are shown as they are"
        return [Finding("verifier", "address", "info", text)]
    findings = [await _check_name(settings)]
    if findings[-1].level == "ok":
        findings.append(await _check_port(settings))
    if findings[-1].level == "ok":
        findings.append(await _check_handshake(settings, engine))
    if settings.insecure_skip_verify:
        fix = "set verifier.insecure_skip_verify = false, and verifier.ca_file if the certificate is your own"
        findings.append(Finding("verifier", "TLS", "warning", "any certificate is accepted", fix))
    return findings


async def _check_name(settings: LinkSettings) -> Finding:
    host, port = settings.address
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        text = f"{host} can't be resolved: {error.strerror or error}"
        return Finding(
            "verifier", "name", "failed", text, "check the host in verifier.url, and the network or VPN"
        )
    addresses = sorted({str(entry[4][0]) for entry in found})
    return Finding("verifier", "name", "ok", f"{host} is {', '.join(addresses[:4])}")


async def _check_port(settings: LinkSettings) -> Finding:
    host, port = settings.address
    begun = time.perf_counter()
    try:
        async with asyncio.timeout(TCP_TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        text = f"no answer from {host} port {port} within {TCP_TIMEOUT_S:g} s"
        return Finding(
            "verifier", "port", "failed", text, "a firewall or a missing VPN drops it; ask who runs it"
        )
    except OSError as error:
        text = f"{host} port {port}: {error.strerror or error}"
        fix = "start the verifier there (draftwire verifier), or correct the port in verifier.url"
        return Finding("verifier", "port", "failed", text, fix)
    writer.close()
    return Finding("verifier", "port", "ok", f"connected in {(time.perf_counter() - begun) * 1000:.0f} ms")


async def _check_handshake(settings: LinkSettings, engine: DraftEngine | None) -> Finding:
    if engine is None:
        fix = "mend the draft model first: its vocabulary is part of the handshake"
        return Finding("verifier", "handshake", "warning", "not tried without a draft model", fix)
    outcome = asyncio.Event()
    link = VerifierLink(settings, lambda: hello_of(engine), lambda: _settled(link, outcome), time.monotonic)
    running = asyncio.create_task(link.run())
    try:
        async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
            await outcome.wait()
        return _outcome(link)
    except TimeoutError:
        text = f"{settings.host} did not finish the handshake within {HANDSHAKE_TIMEOUT_S:g} s"
        return Finding("verifier", "handshake", "failed", text, "look at the verifier's log")
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def _settled(link: VerifierLink, outcome: asyncio.Event) -> None:
    if link.state != "connecting":
        outcome.set()


def _outcome(link: VerifierLink) -> Finding:
    if link.welcome is not None:
        estimate_ms = link.welcome.verify_estimate_us / 1000
        name = f"{link.welcome.target_id} ({shortened(link.welcome.target_revision)})"
        text = f"{name}, {link.welcome.n_vocab} tokens, verifies in about {estimate_ms:.0f} ms"
        return Finding("verifier", "handshake", "ok", text)
    return Finding("verifier", "handshake", "failed", link.reason, _fix_of(link.reason))


def _fix_of(reason: str) -> str:
    """The link's reasons say what to do after a semicolon; where one does not, the log of the other side may."""
    _, _, fix = reason.partition("; ")
    return fix or "look at the verifier's log"
