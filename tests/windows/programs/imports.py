"""Imports every module of toolcast and its toolset, and prints their number.

Bridges need the framework that they are for.
"""

import importlib
import pkgutil
import sys

import toolcast
import toolcast_tools

FRAMEWORKS = {
    "openai_agents": "agents",
    "langchain": "langchain_core",
    "frameworks": "sys",
    "definition_parts": "sys",
}
"""Module of `toolcast.bridges` → the module that it needs, where that has another name."""


def main() -> None:
    """Import them; an exception names the module that fails."""
    done = 0
    waiting = [toolcast, toolcast_tools]
    while waiting:
        package = waiting.pop()
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            parent, _, name = found.name.rpartition(".")
            if name in ("__main__", "copy_generated") or (
                parent == "toolcast.bridges" and FRAMEWORKS.get(name, name) not in sys.modules
            ):
                continue
            module = importlib.import_module(found.name)
            done += 1
            if found.ispkg:
                waiting.append(module)
    print(f"{done} modules")


main()
