"""The report on a project: all tools, what each provider is sent of them, and what that lacks."""
