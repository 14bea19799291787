"""Tools as declarations in a programming language, for models that write code which calls them.

A declaration is text: `typescript` and `python` declare one tool, as the modules of types express its
schemas. `toolcast.runtime.declarations` declares the tools of a view.
"""
