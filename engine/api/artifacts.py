"""Routes for pages that tools made (RND-3) and for external addresses in results (RND-6): one address per call.

The app's page sends its cookie with these requests, as with all others. The response has an opaque origin even in its
own tab, so its scripts cannot send requests to this app.
"""

from html import escape
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from engine.api.api_context import Running
from engine.api.policy import artifact_headers, frame_headers
from engine.api.shapes import Id
from engine.errors import NotFound
from engine.rendering.plans import FramePlan, HtmlPlan
from engine.rendering.safety import frame_danger, frame_source
from engine.views.artifacts import artifact_of

__all__ = ["routes"]

_PAGE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The page, sandboxed: it cannot reach anything outside itself.",
        "content": {"text/html": {}},
    },
}
_FRAME = """\
<!doctype html><meta charset="utf-8"><title>{title}</title>
<style>html,body,iframe{{margin:0;border:0;width:100%;height:100%;display:block;background:#fff;overflow:hidden}}</style>
<iframe src="{url}" title="{title}" referrerpolicy="no-referrer"
 sandbox="allow-scripts allow-forms allow-same-origin"></iframe>
"""

routes = APIRouter(tags=["chats"])


@routes.get(
    "/artifacts/{chat_id}/{call_id}", operation_id="get_artifact", responses=_PAGE, response_model=None
)
def get_artifact(app: Running, request: Request, chat_id: Id, call_id: Id) -> Response:
    """Get the page in a call's render plan, sandboxed. If the plan is an address, get a page that frames it."""
    call = app.chat(chat_id).calls.get(call_id)
    plan = call.plan if call is not None else None
    if call is None or not isinstance(plan, HtmlPlan | FramePlan):
        raise NotFound("artifact_not_found", f"This chat has no call {call_id} with a page.")
    if isinstance(plan, FramePlan):
        return _framing(plan, request.url.port)
    made = artifact_of(call, plan, lambda sha256: app.workspace.read(chat_id, sha256), app.tools())
    return Response(made.page.encode("utf-8", "replace"), headers=artifact_headers(network=made.network))


def _framing(plan: FramePlan, own_port: int | None) -> Response:
    danger = frame_danger(plan.url, own_port)
    if danger:
        raise NotFound("frame_refused", f"This address is not shown: {danger}.")
    page = _FRAME.format(url=escape(plan.url), title=escape(plan.title or plan.url))
    return Response(page, headers=frame_headers(frame_source(plan.url)))
