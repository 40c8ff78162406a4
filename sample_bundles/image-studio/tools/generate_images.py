"""Makes one to four pictures from a description. If some requests fail, the pictures of the others are kept."""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from anabranch_tool import progress
from tools.pictures import save
from tools.providers import Made, Way, Wish, way_of
from tools.studio import Failed, Studio, studio

MOST = 4
AT_ONCE = 2
LONGEST_PROMPT = 32_000


class NoPicture(Exception):
    """Raised if no picture was made; the message says why."""


def run(
    workspace: Path, prompt: str, *, count: int = 2, aspect: str | None = None, size: str | None = None
) -> dict[str, Any]:
    """Make `count` pictures and return their paths, with an error for each picture that failed.

    Raises:
        ValueError: the prompt is empty or too long, fewer than one picture is asked for, or no provider is configured.
        NoPicture: no picture was made.
    """
    if count < 1:
        raise ValueError(f"count is {count}; ask for 1 to {MOST} pictures")
    if not prompt.strip():
        raise ValueError("the prompt is empty; say what the picture shows")
    if len(prompt) > LONGEST_PROMPT:
        raise ValueError(f"the prompt has {len(prompt):,} characters; the limit is {LONGEST_PROMPT:,}")
    maker = studio()
    warnings = (
        [f"{count} pictures were requested; at most {MOST} are made at a time."] if count > MOST else []
    )
    if size and size.endswith("K") and maker.provider == "openai":
        warnings.append(f"{maker.title} takes sizes in pixels, so {size} was left out.")
    wish = Wish(prompt.strip(), min(count, MOST), aspect, size)
    paths, failed = _made(workspace, maker, wish)
    if not paths:
        raise NoPicture(" ".join(dict.fromkeys(failed)))
    result: dict[str, Any] = {
        "images": paths,
        "prompt": wish.prompt,
        "provider": maker.provider,
        "model": maker.model or "the server's own",
        "failed": failed,
    }
    if failed:
        why = " ".join(dict.fromkeys(one.partition(" It says: ")[0] for one in failed))
        warnings.append(f"{len(paths)} of {wish.count} pictures were made. {why}")
    return result | {"notes": warnings}


def _made(workspace: Path, maker: Studio, wish: Wish) -> tuple[list[str], list[str]]:
    """Send requests until every picture is made or failed. Stop after a failure that would happen again."""
    way, all_at_once = way_of(maker)
    left = 1 if all_at_once else wish.count
    asked = f"{maker.title} is making {wish.count} picture{'s' if wish.count > 1 else ''}…"
    progress(0.0, asked)
    paths: list[str] = []
    failed: list[str] = []
    running: set[Future[Made]] = set()
    with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
        while running or left:
            while left and len(running) < AT_ONCE:
                running.add(threads.submit(_asked, way, maker, wish))
                left -= 1
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for made in (future.result() for future in done):
                for picture in made.pictures[: wish.count - len(paths)]:
                    try:
                        paths.append(save(workspace, wish.prompt, picture, maker.title))
                    except Failed as failure:
                        made.failed.append(failure)
                failed += [str(failure) for failure in made.failed]
                if left and any(failure.final for failure in made.failed):
                    failed += [str(made.failed[0])] * left
                    left = 0
            progress((len(paths) + len(failed)) / wish.count, f"{len(paths)} of {wish.count} made")
    return paths, failed


def _asked(way: Way, maker: Studio, wish: Wish) -> Made:
    try:
        return way(maker, wish)
    except Failed as failure:
        made = Made()
        made.failed.append(failure)
        return made
