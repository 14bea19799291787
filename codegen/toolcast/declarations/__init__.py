"""Tools as declarations in a programming language, for models that write code which calls them."""
