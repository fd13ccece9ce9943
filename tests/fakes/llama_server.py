"""A program with the face of llama.cpp's server, written to a file: it says what the file's text goes on with.

It answers /health, /completion and (unless told not to) /infill, and writes each request's body to a file, a line of
JSON each.
"""

from __future__ import annotations

import sys
from pathlib import Path

_PROGRAM = """#!{python}
import http.server, json, sys

TEXT, INFILL, RECORD = {text!r}, {infill!r}, {record!r}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.say(200, {{"status": "ok"}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open(RECORD, "a") as record:
            record.write(json.dumps({{"path": self.path}} | body) + "\\n")
        if self.path == "/infill" and not INFILL:
            return self.say(501, {{"error": {{"code": 501}}}})
        before = (body.get("input_prefix", "") + body["prompt"]).lstrip("\\n")
        rest = TEXT[TEXT.find(before) + len(before) :]
        content = rest.partition("\\n")[0]
        self.say(200, {{"content": content, "timings": {{"prompt_n": 3, "predicted_n": len(content)}}}})

    def say(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


def write_llama_server(folder: Path, text: str, *, infill: bool) -> tuple[Path, Path]:
    """The program, and the file that it records requests in."""
    program, record = folder / "llama-server", folder / "requests.jsonl"
    source = _PROGRAM.format(python=sys.executable, text=text, infill=infill, record=str(record))
    program.write_text(source, "utf-8")
    program.chmod(0o700)
    return program, record
