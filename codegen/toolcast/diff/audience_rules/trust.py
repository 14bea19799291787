"""Rules about trust: what a tool may do, which secrets it may see, and what it claims about itself."""

from typing import Final

from ..rule import Rule

TRUST: Final[dict[str, Rule]] = {
    "permission-widened": Rule(
        "trust",
        "error",
        "A tool may do more",
        "`permission` allows what it did not allow before. `read` is less than `write` and `network`, each of"
        " them less than `execute`; from `write` to `network`, and back, something new is allowed, too.",
    ),
    "permission-narrowed": Rule(
        "trust",
        "note",
        "A tool may do less",
        "`permission` allows nothing new, and something less.",
    ),
    "callers-widened": Rule(
        "trust",
        "warning",
        "More may call a tool",
        "By `callers`: code that models write calls without a model's word for each call, in loops; or the "
        "model calls what was for code alone.",
    ),
    "secrets-added": Rule(
        "trust",
        "error",
        "A further parameter may carry secrets",
        "A `<secret_ref:NAME>` in it is replaced by the secret from now on.",
    ),
    "secrets-removed": Rule(
        "trust",
        "warning",
        "A parameter may no longer carry secrets",
        "A `<secret_ref:NAME>` in it is no longer replaced by the secret.",
    ),
    "approval-widened": Rule(
        "trust",
        "warning",
        "An approval covers more calls",
        "`described_by` names a parameter now: an *always* covers calls with other words in it.",
    ),
    "approval-narrowed": Rule(
        "trust",
        "note",
        "An approval covers fewer calls",
        "The opposite of `approval-widened`.",
    ),
    "hint-less-careful": Rule(
        "trust",
        "warning",
        "An annotation is less careful",
        "Programs that ask a person before a call may ask less often: `destructive` or `open_world` is no"
        " longer true, `idempotent` is true or no longer false, or the tool is announced as read-only.",
    ),
    "hint-more-careful": Rule(
        "trust",
        "note",
        "An annotation is more careful",
        "The opposite of `hint-less-careful`.",
    ),
    "server-changed": Rule(
        "trust",
        "error",
        "HTTP requests go to another server",
        "`http.server` or a default of `http.server_variables` is another one: arguments and credentials are"
        " sent there.",
    ),
    "request-changed": Rule(
        "trust",
        "warning",
        "Another HTTP request is sent",
        "The method, the path, the body or the place of an argument is another one; or the tool began or"
        " ceased to stand for a request.",
    ),
    "credentials-changed": Rule(
        "trust",
        "error",
        "Other credentials go into HTTP requests",
        "`http.security` or `http.schemes` differs.",
    ),
    "carried-out-elsewhere": Rule(
        "trust",
        "warning",
        "Somebody else carries out the calls",
        "`external` differs: calls, with their arguments, leave the program, or the program carries them out"
        " itself.",
    ),
    "values-unbounded": Rule(
        "trust",
        "error",
        "The program no longer bounds a parameter's values",
        "`runtime_enums` named the parameter: only values that the running program knew were accepted.",
    ),
    "values-from-elsewhere": Rule(
        "trust",
        "warning",
        "The program bounds a parameter's values by another source",
        "`runtime_enums` names another source for the parameter.",
    ),
    "model-sets-parameter": Rule(
        "trust",
        "error",
        "The program no longer fills in a parameter",
        "`inject` named the parameter: models neither saw nor set it. A model may choose its value now.",
    ),
    "program-sets-parameter": Rule(
        "trust",
        "note",
        "The program fills in a parameter",
        "`inject` names the parameter now: models neither see nor set it.",
    ),
    "injected-from-elsewhere": Rule(
        "trust",
        "warning",
        "The program fills in a parameter from another place",
        "`inject` names another path for the parameter.",
    ),
    "source-changed": Rule(
        "trust",
        "warning",
        "The tool comes from another source",
        "`source` names another server, document or module, or another tool of it.",
    ),
}
