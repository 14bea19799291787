"""Profiles of one's own: what they inherit, take away and override, and what is said when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolcast.providers import ProfileError, load_profile, load_profile_file, load_profiles, normalize

PLAIN = 'id = "x"\ndated = "2026-01-01"\n[envelope]\nname = "$name"\nparameters = "$parameters"\n'
LOADING = '[request]\ndefer = {late = true}\nsearch-tools = [{type = "search"}]\n'


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_one_starts_from_a_built_in_one(tmp_path: Path) -> None:
    path = write(tmp_path, "acme", 'base = "openai"\nid = "acme"\n[strict]\nformats = ["uri"]\n')
    profile = load_profile_file(path)
    assert (profile.id, profile.envelope) == ("acme", load_profile("openai").envelope)
    url = {"type": "object", "properties": {"u": {"type": "string", "format": "uri"}}, "required": ["u"]}
    assert normalize(url, profile).schema["properties"]["u"] == {"type": "string", "format": "uri"}


def test_lists_replace_and_tables_merge(tmp_path: Path) -> None:
    path = write(tmp_path, "acme", 'base = "openai"\nid = "acme"\n[dialect]\nroot-forbid = ["not"]\n')
    made, base = load_profile_file(path), load_profile("openai")
    assert made.dialect.root_forbid == ("not",)
    assert made.dialect.patterns == base.dialect.patterns
    assert made.limits == base.limits


def test_what_is_inherited_can_be_taken_away(tmp_path: Path) -> None:
    text = 'base = "openai"\nwithout = ["strict", "limits.depth", "answers.not-strict.type"]\nid = "acme"\n'
    made = load_profile_file(write(tmp_path, "acme", text))
    assert made.strict is None
    assert (made.limits.depth, made.limits.tools) == (None, 128)
    assert "not-strict.type" not in made.answers
    assert "not-strict" in made.answers
    again = 'base = "gemini"\nwithout = ["dialect.formats"]\nid = "x"\n'
    assert load_profile_file(write(tmp_path, "x", again)).dialect.formats is None


def test_what_a_request_needs_is_inherited_and_taken_away(tmp_path: Path) -> None:
    text = (
        'base = "anthropic"\nwithout = ["request.client-search"]\nid = "acme"\n[request]\nstrict = {s = 1}\n'
    )
    made, base = load_profile_file(write(tmp_path, "acme", text)).request, load_profile("anthropic").request
    assert (made.strict, made.client_search) == ({"s": 1}, {})
    assert (made.search_tools, made.cache) == (base.search_tools, base.cache)
    none = 'base = "anthropic"\nwithout = ["request"]\nid = "x"\n'
    assert not load_profile_file(write(tmp_path, "x", none)).request.loads_tools


def test_strict_mode_of_a_request_is_one_that_a_spec_may_ask_for() -> None:
    text = {"type": "object", "properties": {"u": {"type": "string"}}}
    for provider in ("gemini", "cohere"):
        assert normalize(text, provider, strict=True) == normalize(text, provider)
    assert [entry.keyword for entry in normalize(text, "mistral", strict=True).ledger][:1] == ["strict"]


def test_profiles_are_based_on_each_other_in_any_order(tmp_path: Path) -> None:
    child = write(tmp_path, "child", 'base = "acme"\nid = "child"\n[limits]\ntools = 9\n')
    parent = write(tmp_path, "acme", 'base = "openai"\nid = "acme"\n[limits]\nname-length = 7\n')
    made = load_profiles([child, parent])
    assert (made["child"].limits.tools, made["child"].limits.name_length) == (9, 7)
    assert load_profile_file(child, others=[parent]) == made["child"]


def test_one_overrides_a_built_in_one_and_starts_from_it(tmp_path: Path) -> None:
    own = write(tmp_path, "openai", 'base = "openai"\nid = "openai"\n[limits]\ntools = 9\n')
    child = write(tmp_path, "child", 'base = "openai"\nid = "child"\n')
    made = load_profiles([own, child])
    assert made["openai"].limits.tools == made["child"].limits.tools == 9
    assert made["openai"].strict == load_profile("openai").strict


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("id = ", 0, "is not TOML: Invalid value (at end of document)"),
        (PLAIN + "[dialect\n", 6, "is not TOML, in column 9"),
        (PLAIN + '[dialect]\ndescribe = ["minimum", "minLenght"]', 7,
         "'dialect.describe' names 'minLenght', which is no keyword (did you mean 'minLength'?"),
        (PLAIN + '[strict]\nblock = ["patern"]', 7, "'strict.block' names 'patern', which is no keyword"),
        (PLAIN + '[dialect]\nat-most = [["minitems", 1]]', 7, "did you mean 'minItems'?"),
        (PLAIN + '[limits]\ntools = -3', 7, "'limits.tools': Expected `int` >= 0"),
        ('id = "x"', 0, "'dated' is missing"),
        (PLAIN + '[dialect]\nref = "inline"', 7, "unknown key 'dialect.ref' (did you mean 'refs'?"),
        (PLAIN + '[dialect]\nrefs = "maybe"', 7, "Invalid enum value 'maybe' (allowed: inline, keep)"),
        (PLAIN + '[limits]\ntools = "many"', 7, "'limits.tools': Expected `int | null`, got `str`"),
        (PLAIN + '[limits]\nname-pattern = "["', 7, "'limits.name-pattern' is no regular expression"),
        (PLAIN + '[dialect]\nproperty-names = "("', 7, "'dialect.property-names' is no regular expression"),
        (PLAIN + '[answers]\ntool = "no"', 7, "unknown rule 'tool' in answers (did you mean 'tools'?"),
        (PLAIN + '[answers]\ntools = "{lmit}"', 7, "names {lmit}"),
        (PLAIN + '[answers]\npaths = "slashes"', 7, "'answers.paths' is 'slashes'"),
        (PLAIN + '[request]\ncahce = {a = 1}', 7, "unknown key 'request.cahce' (did you mean 'cache'?"),
        (PLAIN + '[request]\ncache = 1', 7, "'request.cache': Expected `object`, got `int`"),
        (PLAIN + '[request]\ndefer = {late = true}', 6,
         "'request.defer' and 'request.search-tools' need each other"),
        (PLAIN + '[request]\nnamespace = {n = "$group", d = "$description", t = "$tools"}', 6,
         "'request.client-search' without $name and 'request.namespace' need 'request.search-tools'"),
        (PLAIN + LOADING + 'namespace = {n = "$group", d = "$description"}', 9,
         "'request.namespace' has no $tools"),
        (PLAIN + LOADING + 'client-search = {d = "$description", p = "$parameters", n = "$nam"}', 9,
         "'request.client-search' names '$nam' (did you mean '$name'?"),
        (PLAIN + '[request]\ncache = {a = 1}\ncache-entry = {b = 2}', 8, "exclude each other"),
        (PLAIN.replace("$name", "$nmae"), 4, "the envelope names '$nmae' (did you mean '$name'?"),
        (PLAIN.replace("$parameters", "$title"), 3, "the envelope has no $parameters"),
        (PLAIN.replace("2026-01-01", "20260101"), 2, "'dated' is '20260101', which is no date"),
        (PLAIN.replace('"x"', '"a/b"'), 1, "the id 'a/b' cannot be a folder name"),
        ('nonsense = 1\n' + PLAIN, 1, "unknown key 'nonsense'"),
        ('dialect = 1\n' + PLAIN, 1, "'dialect' must be a table"),
        ('base = "opena"\n' + PLAIN, 1, "base 'opena' is not one of the profiles (did you mean 'openai'?"),
        ('base = 3\n' + PLAIN, 1, "base 3 is not one of the profiles"),
        ('without = ["strict"]\n' + PLAIN, 1, "'without' needs a base"),
        ('base = "mcp"\nwithout = ["strict"]\n' + PLAIN, 2, "'strict' is not inherited from 'mcp'"),
        ('base = "mcp"\nwithout = "limits"\n' + PLAIN, 2, "'without' must be a list of keys"),
    ],
)  # fmt: skip
def test_a_wrong_profile_is_refused_by_place(tmp_path: Path, text: str, line: int, part: str) -> None:
    path = write(tmp_path, "wrong", text)
    with pytest.raises(ProfileError) as raised:
        load_profile_file(path)
    assert part in str(raised.value)
    assert [(problem.file, problem.line) for problem in raised.value.problems][:1] == [(str(path), line)]


def test_a_provider_may_have_keywords_of_its_own(tmp_path: Path) -> None:
    text = PLAIN + '[dialect]\ndrop = ["x-order", "x-minLenght", "vendorHint", "$vocabulary"]\n'
    assert "vendorHint" in load_profile_file(write(tmp_path, "x", text)).dialect.drop


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    one = write(tmp_path, "one", PLAIN + '[dialect]\nref = 1\nrefs = "maybe"\n')
    two = write(tmp_path, "two", PLAIN.replace('"x"', '"y"').replace("2026-01-01", "soon"))
    with pytest.raises(ProfileError) as raised:
        load_profiles([one, two])
    assert [(Path(problem.file).stem, problem.line) for problem in raised.value.problems] == [
        ("one", 7),
        ("one", 8),
        ("two", 2),
    ]


def test_a_circle_is_named(tmp_path: Path) -> None:
    one = write(tmp_path, "one", 'base = "two"\nid = "one"\n')
    two = write(tmp_path, "two", 'base = "one"\nid = "two"\n')
    with pytest.raises(ProfileError, match="in a circle: one → two → one"):
        load_profiles([one, two])


def test_two_files_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"the id 'x' is that of .*one\.toml, too"):
        load_profiles([write(tmp_path, "one", PLAIN), write(tmp_path, "two", PLAIN)])
