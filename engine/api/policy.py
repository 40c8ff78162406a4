"""Headers that restrict pages in the browser: the app's own page, media, artifacts of tools, and framed addresses.

The app's page runs only its own scripts and fetches only from its own address. A tool's output is either not a page
(`FILE_POLICY`), or a page with an opaque origin. Such a page can reach the network only if its bundle was granted
network access, and then only over https.
"""

from collections.abc import Mapping

__all__ = ["DEMO_HEADERS", "FILE_POLICY", "PAGE_HEADERS", "PAGE_POLICY", "artifact_headers", "frame_headers"]

_STREAMLITS_LINE = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"
"""The hash of the only inline script in Streamlit's page. If the policy did not allow the script, the browser would log
an error on each load.
"""

PAGE_POLICY = "; ".join(
    [
        "default-src 'self'",
        f"script-src 'self' blob: 'wasm-unsafe-eval' {_STREAMLITS_LINE}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    ]
)
FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
"""The policy for a file that is opened in its own tab: an SVG shows its picture and runs no scripts."""

PAGE_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-dns-prefetch-control": "off",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}

_OWN_SCRIPTS = f"script-src 'self' blob: 'wasm-unsafe-eval' {_STREAMLITS_LINE}"
DEMO_HEADERS = PAGE_HEADERS | {
    "content-security-policy": PAGE_POLICY.replace(
        _OWN_SCRIPTS, "script-src 'self' blob: 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval'"
    ).replace("base-uri 'self'", "base-uri 'self' about:")
}
"""The headers of a public demo's page. A demo serves nothing under /v1, so the pages that tools made are shown in
frames that have no address and inherit this policy. The policy must therefore allow the scripts of these pages, and the
base address that disables their links. The frames' own policies forbid these additional permissions again.
"""

_NOTHING = [
    "sandbox allow-scripts",
    "default-src 'none'",
    "script-src 'unsafe-inline' 'unsafe-eval'",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "media-src data: blob:",
    "connect-src 'none'",
]
_NETWORK = [
    "sandbox allow-scripts",
    "default-src 'none'",
    "script-src 'unsafe-inline' 'unsafe-eval' https:",
    "style-src 'unsafe-inline' https:",
    "img-src data: blob: https:",
    "font-src data: https:",
    "media-src data: blob: https:",
    "connect-src https: wss:",
]
_CLOSED = [
    "worker-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "treat-as-public-address",
]
"""The last directive makes Chromium treat the page as if it came from a public address, although this machine serves
it. The page then cannot reach this machine or the local network, not even over https.
"""

_FEATURES = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "clipboard-read", "clipboard-write",
    "compute-pressure", "display-capture", "encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope",
    "hid", "identity-credentials-get", "idle-detection", "keyboard-map", "local-fonts", "local-network-access",
    "magnetometer", "microphone", "midi", "otp-credentials", "payment", "picture-in-picture",
    "publickey-credentials-create", "publickey-credentials-get", "screen-wake-lock", "serial", "storage-access",
    "usb", "window-management", "xr-spatial-tracking",
)  # fmt: skip


def artifact_headers(*, network: bool) -> Mapping[str, str]:
    """Return the headers of an artifact. They apply wherever the artifact is opened.

    In Chromium, `Connection-Allowlist` also blocks what a content security policy cannot block: WebRTC, early DNS
    lookups, and navigation of the page itself. With network access, it allows https.
    """
    return {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "; ".join([*(_NETWORK if network else _NOTHING), *_CLOSED]),
        "connection-allowlist": '("https://*")' if network else "()",
        "permissions-policy": ", ".join(f"{feature}=()" for feature in _FEATURES),
        "x-content-type-options": "nosniff",
        "x-dns-prefetch-control": "off",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cache-control": "private, no-store",
    }


def frame_headers(source: str) -> Mapping[str, str]:
    """Return the headers of a page that may frame only `source`: an origin, or `https:`."""
    policy = f"default-src 'none'; style-src 'unsafe-inline'; frame-src {source}; frame-ancestors 'self'"
    return {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": f"{policy}; base-uri 'none'; form-action 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-store",
    }
