"""Loads the function that `tools.module:function` names, inside a tool process.

A bundle's `tools` folder becomes a package that is created for it, so that no other `tools` on the path is used and its
modules never shadow the standard library. The folder is also at the end of the path, for plain imports among siblings.
The modules are compiled from their sources each time: bytecode files beside them were never verified, so such files are
neither read nor written.
"""

import importlib
import importlib.util
import keyword
import sys
from collections.abc import Callable
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
)
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["EntrypointNotFound", "load"]

_PACKAGE = "tools"
_LIBRARY = "anabranch_tool"


class _FromSource(SourceFileLoader):
    """Loads a module only from its source."""

    def path_stats(self, path: object) -> NoReturn:  # noqa: ARG002 - as importlib declares it
        """Raise OSError, so that importlib does not use bytecode."""
        raise OSError


class EntrypointNotFound(Exception):
    """Raised if an entrypoint does not name a function. The text is for people."""


def load(bundle: Path | None, entrypoint: str) -> Callable[..., Any]:
    """Import the module of `entrypoint` and return its function.

    Raises EntrypointNotFound, and any error from importing the module.
    """
    module_name, _, function_name = entrypoint.partition(":")
    parts = module_name.split(".")
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in [*parts, function_name]):
        raise EntrypointNotFound(f"{entrypoint!r} is not of the form `tools.module:function`.")
    if bundle is None:
        if parts[0] != _LIBRARY:
            raise EntrypointNotFound(f"{entrypoint!r} is not a built-in tool: those are in `{_LIBRARY}`.")
        full_name = module_name
    else:
        full_name = _bind(bundle, parts)
    function = getattr(_import(full_name, entrypoint), function_name, None)
    if not callable(function):
        raise EntrypointNotFound(f"The module of {entrypoint!r} has no function `{function_name}`.")
    return function  # type: ignore[no-any-return]


def _bind(bundle: Path, parts: list[str]) -> str:
    """Bind the name `tools` to a package with the bundle's own modules, and return the full name of the module in this
    package.
    """
    folder = bundle / _PACKAGE
    _compile_from_source_below(bundle)
    rest = (
        parts[1:] if len(parts) > 1 and parts[0] == _PACKAGE and not (folder / _PACKAGE).is_dir() else parts
    )
    initial = folder / "__init__.py"
    spec = (
        importlib.util.spec_from_file_location(
            _PACKAGE,
            initial,
            loader=_FromSource(_PACKAGE, str(initial)),
            submodule_search_locations=[str(folder)],
        )
        if initial.exists()
        else None
    )
    if spec is None:
        spec = ModuleSpec(_PACKAGE, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
    package = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = package
    sys.path.append(str(folder))
    if spec.loader is not None:
        spec.loader.exec_module(package)
    return ".".join([_PACKAGE, *rest])


def _compile_from_source_below(bundle: Path) -> None:
    """Let importlib find the modules of a bundle without bytecode."""
    own = FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (_FromSource, SOURCE_SUFFIXES))

    def finder(path: str) -> Any:
        if not Path(path).is_relative_to(bundle):
            raise ImportError
        return own(path)

    sys.path_hooks.insert(0, finder)


def _import(full_name: str, entrypoint: str) -> Any:
    try:
        return importlib.import_module(full_name)
    except ModuleNotFoundError as error:
        if error.name and (full_name == error.name or full_name.startswith(error.name + ".")):
            raise EntrypointNotFound(
                f"There is no module for {entrypoint!r}: `{error.name}` is missing."
            ) from None
        raise
