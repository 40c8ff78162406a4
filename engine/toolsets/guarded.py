"""Variables that control a program before its own code runs: loaders, interpreters, shells, proxies, certificates.

Nothing may declare or grant such a variable: no configuration key of a bundle, no MCP server and no user setting. A
program that receives `LD_PRELOAD` or `PYTHONPATH` runs the code that the variable names, and a proxy or certificate
variable decides to which servers the program connects.
"""

import re
from collections.abc import Iterable

__all__ = ["FACTS", "steering", "steers"]

FACTS = frozenset(("HOME", "USER", "LOGNAME", "PATH", "PWD", "TMPDIR", "TEMP", "TMP", "LANG", "TZ", "SHELL"))
"""Variables of this machine that are not secrets. An MCP server may refer to them, as in `${HOME}/notes`."""

_FAMILIES = (
    "LD_", "DYLD_", "GLIBC_", "MALLOC_", "GCONV_", "NLSPATH", "LOCPATH", "LOCALDOMAIN", "RES_OPTIONS",
    "HOSTALIASES", "OPENSSL_", "SSL_CERT_", "SSLKEYLOGFILE", "REQUESTS_CA_", "CURL_CA_", "CURL_HOME", "GIT_SSH",
    "GIT_EXEC", "GIT_CONFIG", "GIT_PROXY", "GIT_ASKPASS", "GIT_EXTERNAL", "GIT_PAGER", "GIT_EDITOR",
    "GIT_TEMPLATE", "GIT_TRACE", "PYTHON", "UV_", "PIP_", "VIRTUAL_ENV", "CONDA_", "NODE_OPTIONS", "NODE_PATH",
    "NODE_EXTRA_CA", "NODE_TLS", "NODE_REPL", "NODE_V8", "NODE_ICU", "NODE_USE", "NPM_CONFIG", "YARN_", "BUN_",
    "DENO_", "PERL5", "PERLLIB", "PERL_", "RUBY", "GEM_HOME", "GEM_PATH", "BUNDLE_", "JAVA_", "JDK_", "_JAVA_",
    "CLASSPATH", "DOTNET_", "CORECLR_", "COMPLUS_", "LUA_", "PHPRC", "PHP_INI", "GOFLAGS", "GODEBUG", "CARGO_",
    "RUSTC", "RUSTFLAGS", "R_HOME", "R_LIBS", "R_PROFILE", "R_ENVIRON", "ANABRANCH_", "BASH_", "KRB5_", "XDG_",
    "DBUS_",
)  # fmt: skip
_NAMES = frozenset(
    (
        "ENV", "IFS", "PATH", "CDPATH", "HOME", "SHELL", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", "ZDOTDIR",
        "FPATH", "USER", "LOGNAME", "PWD", "OLDPWD", "TMPDIR", "TEMP", "TMP", "TEMPDIR", "PAGER", "EDITOR", "VISUAL",
        "BROWSER", "INPUTRC", "TERMINFO", "TERMCAP", "TZDIR", "GETCONF_DIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
        "COMSPEC", "PATHEXT", "SYSTEMROOT", "WINDIR", "PROGRAMFILES", "SUDO_ASKPASS", "SSH_ASKPASS", "SSH_AUTH_SOCK",
    )
)  # fmt: skip
_PROXY = re.compile(r"([A-Z0-9_]*_)?PROXY")


def steers(variable: str) -> bool:
    """Return whether a variable, in upper or lower case, controls a program that receives it."""
    name = variable.strip().upper()
    return name in _NAMES or name.startswith(_FAMILIES) or _PROXY.fullmatch(name) is not None


def steering(variables: Iterable[str]) -> tuple[str, ...]:
    """Return the variables in `variables` that control a program, in the given order."""
    return tuple(name for name in variables if steers(name))
