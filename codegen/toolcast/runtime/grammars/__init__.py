"""Grammars of tools whose argument is one text: regular expressions and Lark, checked by own code."""
