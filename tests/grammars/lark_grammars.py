# ruff: noqa: E501  # a line of a grammar is one line
"""Lark grammars as tools have them, each with texts that it has and texts that it lacks."""

from msgspec import Struct


class Case(Struct, frozen=True):
    """One grammar. A text is divided into terminals greedily, so that some fit no rule though another division does."""

    name: str
    grammar: str
    texts: tuple[str, ...]
    others: tuple[str, ...]


def case(name: str, grammar: str, texts: list[str], others: list[str]) -> Case:
    return Case(name, grammar, tuple(texts), tuple(others))


CALCULATOR = r"""
start: expr
expr: term (SP ADD SP term)* -> add
    | term
term: factor (SP MUL SP factor)* -> mul
    | factor
factor: INT
SP: " "
ADD: "+"
MUL: "*"
%import common.INT
"""

# As Codex publishes it: codex-rs/core/src/tools/handlers/tool_apply_patch.lark.
APPLY_PATCH = r"""
start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?

hunk: add_hunk | delete_hunk | update_hunk
add_hunk: "*** Add File: " filename LF add_line+
delete_hunk: "*** Delete File: " filename LF
update_hunk: "*** Update File: " filename LF change_move? change?

filename: /(.+)/
add_line: "+" /(.*)/ LF -> line

change_move: "*** Move to: " filename LF
change: (change_context | change_line)+ eof_line?
change_context: ("@@" | "@@ " /(.+)/) LF
change_line: ("+" | "-" | " ") /(.*)/ LF
eof_line: "*** End of File" LF

%import common.LF
"""

# As OpenAI's cookbook has it for PostgreSQL (GPT-5 New Params and Tools), with LIMIT.
SQL = r"""
COMMA: ","
GT: ">"
EQ: "="
SEMI: ";"
SP: " "
start: "SELECT" SP select_list SP "FROM" SP table SP "WHERE" SP amount_filter SP "AND" SP date_filter SP "ORDER" SP "BY" SP sort_cols SP "LIMIT" SP NUMBER SEMI
select_list: column (COMMA SP column)*
column: IDENTIFIER
table: IDENTIFIER
amount_filter: "total_amount" SP GT SP NUMBER
date_filter: "order_date" SP GT SP DATE
sort_cols: "order_date" SP "DESC"
IDENTIFIER: /[A-Za-z_][A-Za-z0-9_]*/
NUMBER: /[0-9]+/
DATE: /'[0-9]{4}-[0-9]{2}-[0-9]{2}'/
"""

JSON = r"""
start: value
value: object | array | STRING | NUMBER | "true" | "false" | "null"
object: "{" [pair ("," pair)*] "}"
pair: STRING ":" value
array: "[" [value ("," value)*] "]"
STRING: /"([^"\\\x00-\x1f]|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
%ignore /[ \t\r\n]+/
"""

CASES = (
    case(
        "calculator",
        CALCULATOR,
        ["1", "1 + 2", "1 * 2 + 3", "10 + 20 * 30"],
        ["", "1+2", "1 +", "a", "1  + 2"],
    ),
    case(
        "apply patch",
        APPLY_PATCH,
        [
            "*** Begin Patch\n*** Add File: a.txt\n+one\n+\n*** End Patch\n",
            "*** Begin Patch\n*** Delete File: a\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ def f():\n x\n-y\n+z\n*** End of File\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: a b/ü.py\n*** End Patch\n",
        ],
        ["*** Begin Patch\n*** End Patch\n", "*** Begin Patch\n*** Add File: a\nx\n*** End Patch", "x"],
    ),
    case(
        "sql",
        SQL,
        [
            "SELECT a, b FROM orders WHERE total_amount > 500 AND order_date > '2025-01-01' ORDER BY order_date DESC LIMIT 10;"
        ],
        ["SELECT * FROM t;", "select a from b;"],
    ),
    case(
        "json",
        JSON,
        ["{}", "[1, 2.5e-3, true]", '{"a": {"b": [null, "x\\n\\u00e9"]}}', '"é😀"', "-0"],
        ["{", "[1,]", "01", "'a'", '{"a"}', "nul"],
    ),
    case(
        "csv",
        'start: row (LF row)*\nrow: field ("," field)*\nfield: /[^",\\n]*/ | QUOTED\nQUOTED: /"([^"]|"")*"/\n%import common.LF\n',
        ["a,b\nc,d", '"x, ""y""",2', "", ",,", "a\n\nb"],
        ['"a', 'a"b', '"a"b'],
    ),
    case(
        "list of words",
        'start: WORD+\n%import common.WORD\n%ignore " "\n',
        ["a", "hello world", "a b  c"],
        ["", "1", "a,b"],
    ),
    case(
        "key and value",
        'start: (line LF)*\nline: NAME "=" /[^\\n]*/ | "#" /[^\\n]*/ |\n%import common.CNAME -> NAME\n%import common.LF\n',
        ["a=b\n", "# c\n\nx=\n", ""],
        ["a", "1=2\n", "a=b"],
    ),
    case(
        "case folding",
        'start: "select"i " " /[a-z]+/i " " "Kelvin"i\n',
        ["select a kelvin", "SELECT Ab KELVIN", "sElEcT x \u212aelvin"],
        ["selec a kelvin", "select 1 kelvin", "select a kelvi"],
    ),
    case(
        "escapes",
        r'start: "\"" "\\" "\t" "\u00e9" "\/" /\// /\x41\u{42}\pL[\]\-]/' + "\n",
        ['"\\\té//ABé]', '"\\\té//ABz-'],
        ['"\\\té//AB1]', '"\\\te//ABz-'],
    ),
    case(
        "dot and its flag", "start: /.*/ LF /.+/s\n%import common.LF\n", ["a\nx\ny", "\n\n"], ["x", "x\n", ""]
    ),
    case("terminal that takes all", 'start: A "x" | A\nA: /[a-z]+/\n', ["a", "ax", "x"], ["", "1", "a1"]),
    case("text before an end", 'start: TEXT END\nTEXT: /[a-z]+/\nEND: "z"\n', [], ["", "A", "a"]),
    case(
        "common terminals",
        "start: SIGNED_NUMBER CNAME ESCAPED_STRING HEXDIGIT WORD\n"
        "%import common (SIGNED_NUMBER, CNAME, ESCAPED_STRING)\n%import common.HEXDIGIT\n%import common.WORD\n"
        "%import common.WS\n%import common.C_COMMENT\n%ignore WS\n%ignore C_COMMENT\n",
        ['-1.5e3 _a1 "x\\"y" f abc', '1 a "" /* c */ 0 z', '+.5 a "b" F q'],
        ['1 a "x f b', 'a 1 "x" f b', '1 a "x" g1', '1 a "" 0 z /* c */'],
    ),
    case(
        "comments",
        '// a comment\nstart: stmt+ # another\nstmt: NAME ";"\n\n\nNAME: /[a-z]+/\n%import common.SH_COMMENT\n'
        "%import common.WS\n%ignore SH_COMMENT\n%ignore WS\n",
        ["a;", "a; # x\nb;", "a ;\n"],
        ["a", ";", "a; #x\n1"],
    ),
    case(
        "shaping signs",
        '?start: _list\n_list: item ("," item)* -> items\n!item: "a"\n     | "b" -> bee\n',
        ["a", "a,b", "b,b,a"],
        ["", "c", "a,"],
    ),
    case(
        "unicode classes",
        r"start: /\w+/ /\s/ /\d+/ /[^\W\d_]/" + "\n",
        ["été 1x", "a_1\n٣é", "é 12z"],
        ["é1x", "- 1x", "a ax", "a_1\u00a0٣é"],  # the first byte of a no-break space begins letters, too
    ),
)
