"""The one way in which a schema or a profile is refused."""


class SchemaError(ValueError):
    """A schema that cannot be normalised exactly or safely.

    `path` is a JSON pointer into the schema as given, `hint` a way out. The text holds all three.
    """

    def __init__(self, path: str, message: str, hint: str = "") -> None:
        self.path = path
        self.message = message
        self.hint = hint
        super().__init__(f"at {path or 'the root'}: {message}" + (f" ({hint})" if hint else ""))


class ProfileError(ValueError):
    """A profile that does not exist, cannot be read, or says what the walk does not know."""
