"""A session that writes every kind of Anabranch file: `python -m tests.support.private_session DATA SCRATCH`.

Run it in a separate process, with the umask to test.
"""

import sys
from pathlib import Path

from engine.app.app import open_app
from engine.commands.catalog import RegisterServer, RunTool, TrustServer, Upload, UploadFiles
from engine.config import config_folder
from engine.secrets.api_token import made_token
from tests.support.talk import Talk, call, install_kit

SERVER = Path(__file__).parent / "mcp" / "server.py"
LOOSE = (
    "import os\nfor path, mode in (('a.sh', 0o4777), ('d', 0o777)):\n"
    "    os.mkdir(path) if path == 'd' else open(path, 'w').close()\n    os.chmod(path, mode)\n"
)


def session(data: Path, scratch: Path) -> None:
    """Ask, upload, install, run tools, use a server, store a key."""
    scratch.mkdir(mode=0o700)
    with open_app(data) as app:
        made_token(config_folder())
        app.vault.set("model/openai", "sk-test-0123456789abcdef0123456789abcdef")
        install_kit(app, scratch / "kit")
        app.send(RegisterServer("kitchen", sys.executable, [str(SERVER)]))
        app.send(TrustServer("kitchen"))
        assert app.mcp.wait(lambda states: all(state.state == "ready" for state in states), 120)
        talk = Talk(app, scratch)
        app.send(UploadFiles(talk.chat_id, [Upload("sales.csv", b"city,amount\nRome,1\nOslo,2\n")]))
        talk.replies(
            {"calls": [call("query", sql="SELECT * FROM sales", name="all_sales"), call("list_files")]},
            {"calls": [call("write_file", path="notes/a.txt", content="x")]},
            {"text": "Done."},
        )
        assert talk.ask().reason == "stop"
        app.send(RunTool(talk.chat_id, "mcp:kitchen:picture", {}, allow_confirmations=True))
        for tool in app.tools():
            if tool.tool_id.endswith(":python") and tool.available:
                app.send(RunTool(talk.chat_id, tool.tool_id, {"code": LOOSE}, allow_confirmations=True))


if __name__ == "__main__":
    session(Path(sys.argv[1]), Path(sys.argv[2]))
