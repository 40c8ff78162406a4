"""Lists what a sandbox does not prevent, for `anabranch doctor` and other places where the name of the level is not
enough.
"""

from engine.runtime.protocol import Confinement

__all__ = ["sandbox_limitations"]

_WITHOUT = (
    ({"files"}, "tools can read and change all files that you can read and change"),
    ({"system calls"}, "tools can reach the network and make every system call that you can make"),
    (
        {"signals", "own processes"},
        "tools can end other programs of yours (prevented on Linux 6.12 and later)",
    ),
    ({"own processes"}, "tools can see the names of your other programs (the system refuses namespaces)"),
    ({"resource limits"}, "tools can use up memory and processor time until their time limit"),
)
"""Sets of layers, and what tools can do if no layer of the set is active."""
_ATTRIBUTES = "tools can change the permissions, owners and times of your files, but cannot read them"


def sandbox_limitations(confinement: Confinement) -> list[str]:
    """Return what tools can do even though they should not; empty if everything is enforced."""
    held = {layer.partition(" (")[0] for layer in confinement.layers}
    gaps = [gap for layers, gap in _WITHOUT if not layers & held]
    if "files" in held and not {"read-only mounts", "system calls"} & held:
        gaps.append(_ATTRIBUTES)
    return gaps
