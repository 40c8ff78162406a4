"""Makes the generated parts about renderers and model dialects."""

from docs.source import summary
from docs.tables import as_code, field_row, table_of
from engine.models.dialect import Dialect, Provider, base_of
from engine.models.providers import PROVIDERS
from engine.rendering import plans
from engine.rendering.renderer import Renderer
from engine.rendering.renderers import RENDERERS

__all__ = ["dialects", "renderers"]


def renderers() -> str:
    """Return every renderer with its configuration and the plan that it makes."""
    parts = [_renderer(renderer) for renderer in RENDERERS.values()]
    parts.append(f"## error\n\n{summary(plans.ErrorPlan)}\n\n{_plan(plans.ErrorPlan)}")
    for value in (plans.FileRef, plans.Image):
        rows = [field_row(value, field) for field in value.model_fields]
        table = table_of(("field", "type", "default", "meaning"), rows)
        parts.append(f"## {value.__name__}\n\n{summary(value)}\n\n{table}")
    return "\n\n".join(parts)


def _renderer(renderer: Renderer) -> str:
    lines = [f"## {renderer.name}", summary(renderer.plan or renderer.make)]
    need = f" It needs {' or '.join(f'`{key}`' for key in renderer.needs)}." if renderer.needs else ""
    keys = ", ".join(f"`{key}`" for key in sorted(renderer.all_keys))
    lines.append(f"In menus: {renderer.title}. Configuration: {keys}.{need}")
    lines.append(
        _plan(renderer.plan) if renderer.plan else "It stores the plan of the renderer that suits the file."
    )
    return "\n\n".join(lines)


def _plan(plan: type[plans.RenderPlan]) -> str:
    rows = [field_row(plan, field) for field in plan.model_fields if field != "renderer"]
    return f"The stored plan:\n\n{table_of(('field', 'type', 'default', 'meaning'), rows)}"


def dialects() -> str:
    """Return every model dialect, with the providers that use it and the address that is asked for a reply."""
    spoken: dict[Dialect, list[Provider]] = {}
    for provider in PROVIDERS.values():
        spoken.setdefault(provider.dialect, []).append(provider)
    rows = [
        (
            summary(type(dialect)),
            ", ".join(f"`{provider.id}`" for provider in providers),
            as_code(dialect.endpoint(base_of(providers[0], None), "MODEL")),
        )
        for dialect, providers in spoken.items()
    ]
    return table_of(("dialect", "providers", "address of a reply"), rows)
