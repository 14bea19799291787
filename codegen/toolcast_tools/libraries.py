"""Libraries of the extra `tools`: whether they are installed, and what to do where one is not."""

from importlib.util import find_spec


def require(user: str, *modules: str) -> None:
    """Check that libraries are installed, without importing them.

    Raises ImportError: one is missing; the text has the command that installs it.

    Args:
        user: the class or the package that needs them, for the error.
        *modules: names of their top-level modules.
    """
    for module in modules:
        if find_spec(module) is None:
            raise missing(user, module)


def missing(user: str, module: str) -> ImportError:
    """Return the error of a library that is not installed, with the command that installs it.

    Args:
        user: the class or the package that needs it.
        module: name of its module.
    """
    return ImportError(f"{user} needs {module}, which is not installed; run: pip install 'toolcast[tools]'")
