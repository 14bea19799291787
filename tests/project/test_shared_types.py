"""Shared types outside the specs folder: of a monorepo, and of installed packages."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import toolcast
from click.testing import CliRunner, Result
from toolcast.cli.main import cli
from toolcast.cli.watch import watched
from toolcast.config import load_config
from toolcast.project.core.compiled import Options
from toolcast.project.core.compiler import compile_tool, compile_type
from toolcast.project.integrations.step import StepError, open_project
from toolcast.project.output.manifest import parse_manifest
from toolcast.project.state.index import up_to_date
from toolcast.spec.load import load_tool, load_type
from toolcast.spec.parsed_document import SharedTypes
from toolcast.targets.target import built_in_target

from tests.counting import lines_executed
from tests.project.fake import put, tree

MONEY = """\
type: object
description: An amount.
required: [amount, currency]
additionalProperties: false
properties:
  amount: {type: integer}
  currency: {$ref: currency.yaml}
"""
SPEC = """\
description: Pays an amount of money.
permission: write
secrets: []
parameters:
  type: object
  required: [sum]
  additionalProperties: false
  properties:
    sum: {$ref: REF}
"""
FILES = {
    "common/_types/money.yaml": MONEY,
    "common/_types/currency.yaml": "type: string\nenum: [EUR, USD]\n",
    "common/_types/geo/point.yaml": "type: object\nproperties: {x: {type: number}}\n",
    "common/_types/unused.yaml": "type: strng\n",
    "billing/specs/pay/pay.yaml": SPEC.replace("REF", "../../../common/_types/money.yaml"),
    "shop/specs/buy.yaml": SPEC.replace("REF", "../../common/_types/money.yaml"),
}
CONFIG = '[tool.toolcast]\nproviders = ["mcp"]\ntypes = ["../common/_types"]\n'
PROJECTS = ("billing", "shop")


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        put(folder / path, text)


@pytest.fixture
def mono(tmp_path: Path) -> Path:
    root = tmp_path / "mono"
    write(root, FILES)
    (root / ".git").mkdir()
    for project in PROJECTS:
        write(root, {f"{project}/pyproject.toml": CONFIG})
    return root


def run(project: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--config", str(project / "pyproject.toml")])


def generated(project: Path) -> dict[str, bytes]:
    return tree(project / "generated")


def built(project: Path) -> dict[str, bytes]:
    result = run(project, "generate")
    assert result.exit_code == 0, result.output
    return generated(project)


def test_each_project_has_a_copy_of_what_it_uses_and_of_nothing_else(mono: Path) -> None:
    billing, shop = (built(mono / project) for project in PROJECTS)
    types = {"_types/__init__.py", "_types/money.py", "_types/currency.py"}
    for files in (billing, shop):
        assert {path for path in files if path.startswith("_types/")} == types
    assert b"currency: Currency" in billing["_types/money.py"]
    assert b"from .._types.money import Money" in billing["pay/pay.py"]
    assert "../../common/_types/money.yaml" in parse_manifest(billing["manifest.txt"]).units
    call = '{"sum": {"amount": 3, "currency": "EUR"}}'
    probe = f"import generated.buy; print(generated.buy.BUY.decode({call!r}))"
    printed = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=mono / "shop",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert printed == "BuyParams(sum=Money(amount=3, currency='EUR'))\n"


def test_a_type_that_changes_makes_both_projects_stale_and_another_makes_neither(mono: Path) -> None:
    for project in PROJECTS:
        built(mono / project)
    write(
        mono, {"common/_types/geo/point.yaml": "type: object\n", "common/_types/new.yaml": "type: string\n"}
    )
    for project in PROJECTS:
        assert run(mono / project, "generate", "--check").exit_code == 0
        assert built(mono / project)
        assert up_to_date(str(mono / project)) == (1, "")
    write(mono, {"common/_types/currency.yaml": "type: string\nenum: [EUR, GBP, USD]\n"})
    for project in PROJECTS:
        assert up_to_date(str(mono / project)) is None
        stale = run(mono / project, "generate", "--check")
        assert stale.exit_code == 1
        assert "_types/currency.py" in stale.output
        assert b"GBP" in built(mono / project)["_types/currency.py"]
        assert run(mono / project, "generate", "--check").exit_code == 0


def test_an_incremental_build_is_a_clean_one(mono: Path) -> None:
    shop = mono / "shop"
    built(shop)
    text = FILES["shop/specs/buy.yaml"]
    point = text.replace("money", "geo/point")
    for spec, types in ((point, {"geo/__init__.py", "geo/point.py"}), (text, {"money.py", "currency.py"})):
        write(mono, {"shop/specs/buy.yaml": spec})
        now = built(shop)
        assert {path[7:] for path in now if path.startswith("_types/")} == {"__init__.py", *types}
        shutil.rmtree(shop / "generated")
        shutil.rmtree(shop / ".toolcast")
        assert built(shop) == now


def test_an_error_in_a_used_type_keeps_the_former_output(mono: Path) -> None:
    shop = mono / "shop"
    whole = built(shop)
    for text in ("type: [\n", "type: string\nenum: EUR\n"):
        write(mono, {"common/_types/currency.yaml": text})
        assert run(shop, "generate").exit_code == 1
        assert generated(shop) == whole
    (mono / "common/_types/currency.yaml").unlink()
    assert run(shop, "generate").exit_code == 1
    assert generated(shop) == whole
    (shop / "specs/buy.yaml").unlink()
    assert {path for path in built(shop) if path.endswith(".py")} == {"__init__.py", "registry.py"}


def test_the_bytes_depend_on_no_path_and_no_working_directory(
    mono: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = built(mono / "billing")
    elsewhere = tmp_path / "a longer path" / "of it"
    shutil.copytree(mono, elsewhere)
    shutil.rmtree(elsewhere / "billing/generated")
    shutil.rmtree(elsewhere / "billing/.toolcast")
    monkeypatch.chdir(elsewhere / "billing/specs")
    assert CliRunner().invoke(cli, ["generate"]).exit_code == 0
    assert generated(elsewhere / "billing") == first


def test_an_error_in_a_used_type_is_reported_once_at_its_place(mono: Path) -> None:
    write(mono, {"common/_types/currency.yaml": "type: string\nenum: EUR\n"})
    result = run(mono / "shop", "generate")
    assert result.exit_code == 1
    assert result.output.count("common/_types/currency.yaml:2:7: error") == 1
    write(mono, {"common/_types/currency.yaml": "type: [\n"})
    result = run(mono / "shop", "generate")
    assert result.output.count("error[") == result.output.count("common/_types/currency.yaml:") == 1
    write(mono, {"common/_types/currency.yaml": FILES["common/_types/currency.yaml"]})
    assert built(mono / "shop")


@pytest.mark.parametrize(
    "path", ["shop/specs/_types/money.yaml", "more/_types/money.yml", "more/_types/Money.yaml"]
)
def test_two_types_that_become_one_module_are_refused_with_both_places(mono: Path, path: str) -> None:
    write(mono, {path: "type: object\ndescription: Another.\n"})
    write(mono, {"shop/pyproject.toml": CONFIG.replace('common/_types"', 'common/_types", "../more/_types"')})
    (mono / "more/_types").mkdir(parents=True, exist_ok=True)
    other = "_types/money.yaml" if path.startswith("shop") else "../../" + path
    write(mono, {"shop/specs/sell.yaml": SPEC.replace("REF", other)})
    result = run(mono / "shop", "generate")
    assert result.exit_code == 1
    assert "become the same Python module" in result.output
    assert "common/_types/money.yaml" in result.output
    assert path in result.output


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("../common", "must be a folder called _types"),
        ("../common/_types/geo/_types", "below none of that name"),
        ("specs/_types", "lies inside the specs folder"),
        ("..", "must be a folder called _types"),
        ("/", "must be a folder called _types"),
        ("../absent/_types", "does not exist"),
        ("../../_types", "leads out of the repository"),
        ("../common/../../_types", "leads out of the repository"),
        ("../link/_types", "leads out of the repository through a link"),
        ("generated/_types", "lies inside the output folder"),
        ("package:", "names no package"),
        ("package:a.b", "names no package"),
        ("package:a/../b", "names no package"),
        ("package:../a", "names no package"),
        ("package:toolcast_absent", "which is not installed"),
        ("package:json.decoder", "names no package"),
        ("package:keyword", "is a module and no package"),
        ("package:json/absent", "folder that the package 'json' does not have"),
    ],
)
def test_what_no_folder_of_types_can_be(mono: Path, entry: str, message: str) -> None:
    write(mono.parent, {"_types/money.yaml": MONEY})
    (mono / "link").symlink_to(mono.parent)
    write(mono, {"shop/pyproject.toml": CONFIG.replace("../common/_types", entry)})
    result = run(mono / "shop", "generate")
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert "shop/pyproject.toml:3:1: error" in result.output
    assert not (mono / "shop/generated").exists()


def test_without_a_repository_the_environment_names_what_may_be_read(
    mono: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mono / ".git").rmdir()
    result = run(mono / "shop", "generate")
    assert "config-outside" in result.output
    assert "TOOLCAST_FOLDERS=" in result.output
    monkeypatch.setenv("TOOLCAST_FOLDERS", str(mono / "common"))
    assert built(mono / "shop")


def test_links_in_a_folder_of_types_lead_nowhere_else(mono: Path) -> None:
    write(mono.parent, {"secret.yaml": "type: string\n", "more/x.yaml": "type: string\n"})
    (mono / "common/_types/secret.yaml").symlink_to(mono.parent / "secret.yaml")
    (mono / "common/_types/more").symlink_to(mono.parent / "more")
    write(mono, {"shop/specs/leak.yaml": SPEC.replace("REF", "../../common/_types/secret.yaml")})
    result = run(mono / "shop", "generate")
    assert result.exit_code == 1
    assert "this link leads out of its folder of types, or nowhere" in result.output
    assert "links to folders are not followed" in result.output
    assert "secret" not in " ".join(generated(mono / "shop"))


@pytest.mark.parametrize(
    ("ref", "code"),
    [
        ("../../common/_types/../../shop/specs/buy.yaml", "reference-outside"),
        ("../../common/_types/%2e%2e/%2e%2e/secret.yaml", "reference-outside"),
        ("../../other/_types/money.yaml", "missing-reference"),
        ("../../common/_types/mony.yaml", "missing-reference"),
        ("../../common/money.yaml", "reference-outside"),
        ("package:json/money.yaml", "missing-reference"),
        ("package:json/../../money.yaml", "reference-outside"),
        ("package:", "reference-outside"),
        ("file:///etc/passwd", "remote-reference"),
        ("/etc/_types/passwd.yaml", "reference-outside"),
    ],
)
def test_references_lead_to_named_folders_only(mono: Path, ref: str, code: str) -> None:
    write(mono, {"secret.yaml": "type: string\n", "other/_types/money.yaml": MONEY})
    write(mono, {"shop/specs/leak.yaml": SPEC.replace("REF", f"'{ref}'")})
    result = run(mono / "shop", "generate")
    assert result.exit_code == 1
    assert f"error[{code}]" in result.output
    if "mony" in ref:
        assert "did you mean `../../common/_types/money.yaml`?" in result.output


def test_steps_of_an_engine_make_what_generate_makes(mono: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = mono / "shop"
    monkeypatch.chdir(shop)
    whole = built(shop)
    specs = ["specs/buy.yaml", *map(str, sorted((mono / "common/_types").rglob("*.yaml")))]
    made = CliRunner().invoke(cli, ["compile", *specs, "--out", "out/a", "--depfile", "out/a.d"])
    assert made.exit_code == 0, made.output  # in the one that nothing refers to is an error
    assembled = CliRunner().invoke(cli, ["assemble", "out/a", "--out", "generated"])
    assert assembled.exit_code == 0, assembled.output
    assert generated(shop) == whole
    alone = CliRunner().invoke(cli, ["compile", "specs/buy.yaml", "--out", "out/b", "--depfile", "out/b.d"])
    assert alone.exit_code == 0, alone.output
    read = (shop / "out/b.d").read_text("utf-8")
    assert str(mono / "common/_types/currency.yaml") in read
    assert "unused" not in read
    write(mono, {"common/_types/currency.yaml": "type: strng\n"})
    wrong = CliRunner().invoke(cli, ["compile", *specs, "--out", "out/d"])
    assert wrong.exit_code == 1  # the tool has no decoder
    told = CliRunner().invoke(cli, ["assemble", "out/d", "--out", "out/e"]).output
    assert "common/_types/currency.yaml:1:7: error" in told
    assert "unused.yaml" not in told
    missing = CliRunner().invoke(cli, ["assemble", "out/b", "--out", "out/c"])
    assert "common/_types/money.yaml: error[not-compiled]" in missing.output


def test_an_engine_puts_types_into_place_as_links_and_makes_some_itself(
    mono: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a sandbox: no repository, every input a link, and a type that another action made."""
    whole = built(mono / "shop")
    sandbox = mono.parent / "sandbox"
    made = "out/bin/common/_types/currency.yaml"
    write(sandbox, {made: FILES["common/_types/currency.yaml"]})
    for path in ("shop/pyproject.toml", "shop/specs/buy.yaml", "common/_types/money.yaml"):
        (sandbox / path).parent.mkdir(parents=True, exist_ok=True)
        (sandbox / path).symlink_to(mono / path)
    monkeypatch.chdir(sandbox)
    types = ["common/_types/money.yaml", made]
    roots = [word for root in ("shop/specs", "out/bin/shop/specs") for word in ("--root", root)]
    words = ["--config", "shop/pyproject.toml", *roots, "--out", "out/shard", "--unused", "out/idle"]
    words += ["shop/specs/buy.yaml", *types, *(f"--type={each}" for each in types)]
    step = CliRunner().invoke(cli, ["compile", *words])
    assert step.exit_code == 0, step.output
    assert (sandbox / "out/idle").read_text() == ""
    last = ["assemble", "--config", "shop/pyproject.toml", "out/shard", "--out", "out/generated"]
    assert CliRunner().invoke(cli, last).exit_code == 0
    assert tree(sandbox / "out/generated") == whole


def test_a_source_distribution_needs_the_folders_inside_and_cannot_have_those_outside(mono: Path) -> None:
    write(mono, {"shop/own/_types/a.yaml": MONEY, "shop/pyproject.toml": CONFIG.replace("../common", "own")})
    assert mono / "shop/own/_types" in open_project(mono / "shop").inputs
    write(mono, {"shop/pyproject.toml": CONFIG})
    (mono / ".git").rmdir()
    with pytest.raises(StepError, match="build the wheel in the repository"):
        open_project(mono / "shop")


def test_folders_of_types_are_watched(mono: Path) -> None:
    config, _ = load_config(mono / "shop")
    assert mono / "common/_types" in watched(config, None, mono / "shop").folders


@pytest.mark.parametrize("against", ["HEAD", "folder"])
def test_a_change_of_a_shared_type_is_one_of_its_users(
    mono: Path, monkeypatch: pytest.MonkeyPatch, against: str
) -> None:
    shop = mono / "shop"
    if against == "folder":
        shutil.copytree(mono, mono.parent / "old")
        against = "../../old/shop"
    else:
        git = shutil.which("git")
        if git is None:
            pytest.skip("git is not installed")
        (mono / ".git").rmdir()
        named = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        for words in (["init", "--quiet"], ["add", "--all"], [*named, "commit", "--quiet", "-m", "all"]):
            subprocess.run([git, *words], cwd=mono, check=True, timeout=60)
    monkeypatch.chdir(shop)
    same = CliRunner().invoke(cli, ["diff", "--against", against, "--format", "json"])
    assert (same.exit_code, json.loads(same.output)["changes"]) == (0, []), same.output
    write(mono, {"common/_types/currency.yaml": "type: string\nenum: [EUR]\n"})
    told = CliRunner().invoke(cli, ["diff", "--against", against, "--format", "json"])
    changes = [each for each in json.loads(told.output)["changes"] if each["audience"] == "calls"]
    assert [each["tool"] for each in changes] == ["buy"]
    assert "common/_types/" in changes[0]["file"]


def test_a_pure_compilation_takes_types_by_the_path_of_references() -> None:
    specs = {
        "buy.yaml": FILES["shop/specs/buy.yaml"],
        "../../common/_types/money.yaml": MONEY,
        "../../common/_types/currency.yaml": FILES["common/_types/currency.yaml"],
        "../../common/_types/unused.yaml": "type: strng\n",
    }
    made = toolcast.compile({path: text.encode() for path, text in specs.items()}, providers=["mcp"])
    assert not made.failed, made.diagnostics
    assert {"_types/money.py", "_types/currency.py"} < made.files.keys()
    with pytest.raises(ValueError, match="not the path"):
        toolcast.compile({"../../common/money.yaml": b""})


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package with types, whose code must not run."""
    site = tmp_path / "site"
    types = {f"acme_types/{name}": FILES[f"common/_types/{name}"] for name in ("money.yaml", "currency.yaml")}
    write(site, {"acme_types/__init__.py": "raise SystemExit('this package was imported')\n", **types})
    write(site, {"acme_space/money.yaml": MONEY})
    with zipfile.ZipFile(site / "zipped.zip", "w") as archive:
        archive.writestr("acme_zipped/__init__.py", "")
        archive.writestr("acme_zipped/money.yaml", MONEY)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.syspath_prepend(str(site / "zipped.zip"))
    yield site / "acme_types"
    assert not [name for name in sys.modules if name.startswith("acme_")]


def test_types_of_an_installed_package(mono: Path, package: Path) -> None:
    shop = mono / "shop"
    write(mono, {"shop/pyproject.toml": CONFIG.replace("../common/_types", "package:acme_types")})
    write(mono, {"shop/specs/buy.yaml": SPEC.replace("REF", "package:acme_types/money.yaml")})
    files = built(shop)
    assert b"class Money" in files["_types/acme_types/money.py"]
    assert "package:acme_types/money.yaml" in parse_manifest(files["manifest.txt"]).units
    assert str(package).encode() not in b"".join(files.values())
    (package / "currency.yaml").write_text("type: string\nenum: [EUR]\n", "utf-8")
    assert run(shop, "generate", "--check").exit_code == 1
    assert b"USD" not in built(shop)["_types/acme_types/currency.py"]
    (package / "currency.yaml").write_text("type: 1\n", "utf-8")
    assert "package:acme_types/currency.yaml:1:7: error" in run(shop, "generate").output


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("acme_space", "is a namespace of several distributions, not a package"),
        ("acme_zipped", "is inside of an archive"),
        ("acme_other", "install the distribution that provides 'acme_other'"),
    ],
)
def test_packages_that_hold_no_files(mono: Path, name: str, reason: str) -> None:
    write(mono, {"shop/pyproject.toml": CONFIG.replace("../common/_types", f"package:{name}")})
    result = run(mono / "shop", "generate")
    assert result.exit_code == 1
    assert reason in " ".join(result.output.split())


def test_a_repository_of_another_user_is_none(mono: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "chown") or os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    monkeypatch.delenv("SUDO_UID", raising=False)
    os.chown(mono / ".git", 12345, 12345)
    assert "config-outside" in run(mono / "shop", "generate").output


# -- types that refer to each other --------------------------------------------------------------------


def connected(count: int) -> dict[str, str]:
    """Types of which each refers to every other, and one that refers to them."""
    references = {f"p{number}": {"$ref": f"t{number}.yaml"} for number in range(count)}
    texts = {
        f"_types/t{n}.yaml": json.dumps({"type": "object", "properties": references}) for n in range(count)
    }
    return {**texts, "_types/user.yaml": json.dumps({"type": "array", "items": {"$ref": "t0.yaml"}})}


def documents(folder: Path, texts: dict[str, str]) -> SharedTypes:
    write(folder, texts)
    types = SharedTypes()
    for path in texts:
        document, _ = load_type(folder, path, shown_root="specs")
        assert document is not None
        types[path] = document
    return types


CONNECTED = {
    "alone": {**connected(3), "_types/other.yaml": "{type: string, enum: [a]}"},
    "with a warning": {**connected(3), "_types/other.yaml": "{type: string, format: emial}"},
    "with definitions": {
        **connected(3),
        "_types/a.yaml": "{$defs: {One: {properties: {t: {$ref: t1.yaml}}}, Two: {type: string}}}",
        "_types/b.yaml": "{anyOf: [{$ref: 'a.yaml#/$defs/One'}, {$ref: 'a.yaml#/$defs/Two'}]}",
    },
    "with aliases in a circle": {
        "_types/m.yaml": "{type: array, items: {anyOf: [{$ref: n.yaml}, {type: string}]}}",
        "_types/n.yaml": "{type: array, items: {anyOf: [{$ref: m.yaml}, {type: integer}]}}",
        "_types/a.yaml": "{type: array, items: {$ref: n.yaml}}",
        "_types/other.yaml": "{type: object, properties: {x: {$ref: a.yaml}}}",
    },
    "with a property of another type's name": {
        "_types/zip.yaml": "{type: object, properties: {a: {type: string}}}",
        "_types/card.yaml": "{type: object, properties: {Zip: {type: string}, n: {type: integer}}}",
    },
    "with a part of another type's name": {
        "_types/shop.yaml": "{type: object, properties: {item: {type: object, properties: {a: {}}},"
        " b: {$ref: shop_item.yaml}}}",
        "_types/shop_item.yaml": "{type: object, properties: {n: {type: integer}}}",
        "_types/user.yaml": "{type: object, properties: {i: {$ref: shop_item.yaml}}}",
    },
    "of one name": {
        **connected(2),
        "_types/a/item.yaml": "{type: string}",
        "_types/b/item.yaml": "{type: integer}",
    },
    "with an error": {**connected(2), "_types/wrong.yaml": "{type: integer, minimum: 2, maximum: 1}"},
}


@pytest.mark.parametrize("texts", CONNECTED.values(), ids=CONNECTED)
def test_a_type_compiles_alike_alone_and_with_others(tmp_path: Path, texts: dict[str, str]) -> None:
    options = Options(providers=("mcp",), targets=(built_in_target("typescript"),))
    for order in (sorted(texts), sorted(texts, reverse=True)):
        together = documents(tmp_path, texts)
        for path in order:
            alone = compile_type(path, documents(tmp_path, texts), options)
            assert compile_type(path, together, options) == alone
            assert (not alone.files) == ("wrong" in path)


def test_types_that_refer_to_each_other_cost_what_is_written(tmp_path: Path) -> None:
    options = Options(providers=("mcp",))

    def lines(count: int) -> int:
        types = documents(tmp_path / str(count), connected(count))
        return lines_executed(lambda: [compile_type(path, types, options) for path in types])

    lines(2)  # imports, and what is made at first use
    assert lines(16) < 30 * lines(4)  # 16 times as many references


OF_TOOLS = {
    **connected(3),
    "_types/card.yaml": "{properties: {Zip: {type: string, format: emial}}}",
    "_types/zip.yaml": "{type: object, properties: {kind: {const: z}, n: {type: integer}}, required: [kind]}",
    "_types/either.yaml": "{oneOf: [{properties: {p: {type: array}}}, {$ref: zip.yaml}]}",
    "_types/unused.yaml": "{type: object, additionalProperties: {$ref: t1.yaml}}",
}
BEGIN = "description: Does a thing.\npermission: read\nsecrets: []\nparameters: {type: object, "
DEFINED = "{type: object, properties: {kind: {const: own}, Zip: {type: string}}, required: [kind]}"
TOOLS = {
    "a reference": "properties: {a: {$ref: _types/t1.yaml}}}",
    "a result": "}\nresult: {$ref: _types/card.yaml}",
    "merged": "allOf: [{$ref: _types/t2.yaml}, {properties: {z: {type: object}}}]}",
    "a union": "properties: {a: {anyOf: [{$ref: _types/zip.yaml}, {$ref: _types/either.yaml}]}}}",
    "a definition of an unused type's name": "properties: {a: {$ref: '#/$defs/zip'},"
    " b: {$ref: _types/t1.yaml}}, $defs: {zip: " + DEFINED + "}}",
    "a definition of a used type's name": "properties: {a: {$ref: '#/$defs/t1'},"
    " b: {$ref: _types/t0.yaml}}, $defs: {t1: " + DEFINED + "}}",
    "a contradiction": "properties: {a: {allOf: [{$ref: _types/zip.yaml}, {type: string}]}}}",
    "a default that does not fit": "properties: {a: {default: {n: x}, $ref: _types/zip.yaml}}}",
    "no such type": "properties: {a: {$ref: _types/t9.yaml}, b: {$ref: _types/t1.yaml}}}",
}


def test_a_tool_compiles_alike_whatever_types_were_built_before(tmp_path: Path) -> None:
    options = Options(providers=("mcp",))
    documents(tmp_path, OF_TOOLS)
    write(tmp_path, {f"tool{n}.yaml": BEGIN + text for n, text in enumerate(TOOLS.values())})
    for n, case in enumerate(TOOLS):
        tool, found = load_tool(tmp_path, f"tool{n}.yaml", shown_root="", known_providers=frozenset())
        assert tool is not None, found
        alone = compile_tool(tool, documents(tmp_path, OF_TOOLS), options)
        assert (not alone.files) == (case in list(TOOLS)[-3:]), (case, alone.diagnostics)
        for first in ("t0", "card", "unused"):
            together = documents(tmp_path, OF_TOOLS)
            compile_type(f"_types/{first}.yaml", together, options)
            assert compile_tool(tool, together, options) == alone, (case, first)
            assert compile_tool(tool, together, options) == alone, (case, first)


def test_a_tool_costs_its_own_part_and_the_number_of_its_types(tmp_path: Path) -> None:
    options = Options(providers=("mcp",))
    write(tmp_path, {"tool.yaml": BEGIN + "}\nresult: {$ref: _types/t1.yaml}\ndescribe_result: false"})
    tool, found = load_tool(tmp_path, "tool.yaml", shown_root="", known_providers=frozenset())
    assert tool is not None, found

    def lines(count: int) -> int:
        types = documents(tmp_path, connected(count))
        compile_type("_types/user.yaml", types, options)
        return lines_executed(lambda: compile_tool(tool, types, options))

    lines(2)  # imports, and what is made at first use
    assert lines(24) < 3 * lines(4)  # 6 times as many types, 36 times as many references
