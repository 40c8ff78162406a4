"""Starlette's test client, without its warning that recommends another HTTP library."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient, WebSocketTestSession

__all__ = ["BASE", "BEARER", "TOKEN", "TestClient", "WebSocketTestSession"]

BASE = "http://127.0.0.1:8501"
TOKEN = "t" * 43
BEARER = {"authorization": f"Bearer {TOKEN}"}
