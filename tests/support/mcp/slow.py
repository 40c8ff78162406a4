"""A slow MCP server: it answers its first request only once a file exists. It reads and writes raw lines of JSON.

    python slow.py GATE

It writes one line to stderr when it starts, and waits for the file GATE.
"""

import json
import sys
import time
from pathlib import Path

gate = Path(sys.argv[1])
print("Fetching what I need.", file=sys.stderr, flush=True)
for line in sys.stdin:
    while not gate.exists():
        time.sleep(0.01)
    asked = json.loads(line)
    if "id" not in asked:
        continue
    match asked["method"]:
        case "initialize":
            result = {
                "protocolVersion": asked["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "slow", "version": "1"},
            }
        case "tools/list":
            result = {"tools": [{"name": "late", "inputSchema": {"type": "object"}}]}
        case _:
            result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
