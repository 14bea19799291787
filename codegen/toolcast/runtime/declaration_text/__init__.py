"""Tools as declarations in a programming language, for models that write code which calls them.

`schema_types` reads schemas into a tree of types, `printer` writes these in a language, and `one_tool`
declares one tool. `toolcast.runtime.declarations` declares the tools of a view.
"""
