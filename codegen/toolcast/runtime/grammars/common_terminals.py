"""The terminals of `%import common.NAME`.

Source: lark/grammars/common.lark, without the two that need look-behind; ESCAPED_STRING and C_COMMENT as
llguidance has them (`parser/src/lark/common.rs`): the former lets line breaks stand in a string.
"""

from typing import Final

_DECIMAL: Final = r"(?:[0-9]+\.[0-9]*|\.[0-9]+)"
_EXPONENT: Final = r"[eE][+-]?[0-9]+"
_FLOAT: Final = rf"(?:{_DECIMAL}(?:{_EXPONENT})?|[0-9]+{_EXPONENT})"

COMMON: Final = {
    "DIGIT": "[0-9]",
    "HEXDIGIT": "[0-9A-Fa-f]",
    "INT": "[0-9]+",
    "SIGNED_INT": "[+-]?[0-9]+",
    "DECIMAL": _DECIMAL,
    "_EXP": _EXPONENT,
    "FLOAT": _FLOAT,
    "SIGNED_FLOAT": f"[+-]?{_FLOAT}",
    "NUMBER": f"(?:{_FLOAT}|[0-9]+)",
    "SIGNED_NUMBER": f"[+-]?(?:{_FLOAT}|[0-9]+)",
    "ESCAPED_STRING": r'"(?:[^"\\]|\\.)*"',
    "LCASE_LETTER": "[a-z]",
    "UCASE_LETTER": "[A-Z]",
    "LETTER": "[A-Za-z]",
    "WORD": "[A-Za-z]+",
    "CNAME": "[_A-Za-z][_A-Za-z0-9]*",
    "WS_INLINE": r"[ \t]+",
    "WS": r"[ \t\f\r\n]+",
    "CR": r"\r",
    "LF": r"\n",
    "NEWLINE": r"(?:\r?\n)+",
    "SH_COMMENT": r"#[^\n]*",
    "CPP_COMMENT": r"//[^\n]*",
    "C_COMMENT": r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/",
    "SQL_COMMENT": r"--[^\n]*",
}
"""By name, a regular expression as `parse_regex` reads it."""
