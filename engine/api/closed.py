"""Answers requests to /v1 in a public demo, which has no API because its visitors must not get
access to the machine.
"""

from engine.api.guard import Receive, Scope, Send, refuse

__all__ = ["closed"]


async def closed(scope: Scope, receive: Receive, send: Send) -> None:
    """ASGI app: answer every request with a problem document (404), and refuse WebSockets."""
    words = (
        "This is a public demo: nothing is served under /v1. Run Anabranch on your own machine for its API."
    )
    await refuse(scope, receive, send, 404, "demo_closed", words)
