"""`toolcast probe`."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import date
from fnmatch import fnmatchcase
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import msgspec
from msgspec import Struct

from ..config import Config, show
from ..console import count, cut, json_text, printable, write_line
from . import options as shared
from .terminal import Bar

if TYPE_CHECKING:
    from ..analysis.probe import Finding, Question, Target
    from ..providers import Profile

_LONGEST = 400
"""Characters of a request or an answer that a line shows."""


class _Options(Struct, frozen=True, kw_only=True):
    provider: str
    rules: tuple[str, ...]
    model: str
    key_file: Path | None
    base_url: str
    write: bool
    yes: bool
    form: Literal["text", "json"]
    config_file: Path | None


@click.command(
    "probe",
    epilog=shared.examples(
        "toolcast probe openai                        every rule of the profile",
        "toolcast probe anthropic-strict --rule 'strict.*' --model claude-haiku-4-5",
        "toolcast probe vllm-xgrammar --base-url http://127.0.0.1:8000 --model qwen3",
    ),
)
@click.argument("provider")
@click.option(
    "--rule", "rules", multiple=True, metavar="PATTERN",
    help="Only these rules, such as strict.pattern or 'limits.*'. May be repeated.",
)  # fmt: skip
@click.option("--model", default="", help="The model that is asked (default: that of the profile).")
@click.option(
    "--key-file", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE",
    help="Read the key from FILE (default: the variable that the profile names).",
)  # fmt: skip
@click.option("--base-url", default="", metavar="URL", help="Ask this server, by https or on this machine.")
@click.option("--write", is_flag=True, help="Set date and confidence of rules that hold, in the profile.")
@click.option("--yes", is_flag=True, help="Do not ask before requests are sent.")
@shared.config_option
@shared.json_option()
@shared.takes(_Options)
def command(options: _Options) -> int:
    """Ask a provider's API whether the rules of its profile hold, with your key.

    For each rule, a tool that keeps it and one that breaks it are sent, each in a request that writes as
    little as the API allows. The number of requests and the most that they cost are told first. Answers are
    kept for a day in `.toolcast/probe/`: a run that ends goes on from there. The key comes from the
    environment, or a file; no output, error or file of toolcast has it.

    The exit status is 1 if a rule is contradicted or not decided. It needs `pip install 'toolcast[probe]'`.
    """
    from ..analysis.probe import ProbeError
    from ..http.client import HttpxMissingError, load_httpx

    config = shared.configuration(options.config_file)
    profile, own = _profile(config, options.provider)
    try:
        load_httpx()
        return _run(options, config, profile, own)
    except (HttpxMissingError, ProbeError) as error:
        raise shared.refuse(profile.id, "not-probed", str(error), getattr(error, "hint", "")) from None
    except OSError as error:
        raise shared.disk_problem(error, config.state) from None


def _profile(config: Config, id: str) -> "tuple[Profile, Path | None]":
    """Return a profile, and its file where it is one of the project."""
    from ..project.profiles import profiles_of, suggest_provider
    from ..providers import load_profile, profile_texts

    profiles, problems = profiles_of(config)
    if problems:
        shared.print_diagnostics(problems)
        raise click.exceptions.Exit(1)
    if id not in profiles.known:
        raise click.UsageError(f"There is no provider {id!r}: {suggest_provider(id, profiles.known)}.")
    path = profile_texts(id, config.profiles)[0][0]
    return profiles.own.get(id) or load_profile(id), path if path in config.profiles else None


def _run(options: _Options, config: Config, profile: "Profile", own: Path | None) -> int:
    from ..analysis.probe import Answers, ProbeError, Prober, findings_of, questions_of

    target = _target(options, profile, own)
    vectors = _vectors(profile, options.rules)
    questions = questions_of(target, vectors)
    file = _writable(profile, own) if options.write else None
    answers = Answers(config.state / "probe" / f"{profile.id}.json")
    ended: ProbeError | None = None
    if _agreed_to(options, target, [each for each in questions if answers.get(each.digest) is None]):
        try:
            with Bar("asking") as bar:
                asyncio.run(Prober(target).ask(questions, answers, bar))
        except ProbeError as error:
            ended = error
    findings = findings_of(questions, answers)
    asked = {each.vector.rule for each in questions}
    unasked = [each.rule for each in vectors if each.rule not in asked]
    _report(options.form, config, target, findings, unasked)
    if ended is not None:
        raise ended
    if file is not None:
        _write(file, findings, whole=not options.rules)
    return int(any(each.verdict in ("contradicted", "undecided") for each in findings))


def _vectors(profile: "Profile", patterns: Sequence[str]) -> list[Any]:
    """Return the vectors of the rules that are named, and that of the plainest tool."""
    from ..providers.rule_vectors import vectors_of

    every = vectors_of(profile)
    rules = list(dict.fromkeys(each.rule for each in every))
    for pattern in patterns:
        if not any(fnmatchcase(rule, pattern) for rule in rules):
            raise click.UsageError(f"{profile.id!r} has no rule {pattern!r}; there are: {', '.join(rules)}.")
    wanted = (*patterns, "envelope") if patterns else "*"
    return [each for each in every if any(fnmatchcase(each.rule, one) for one in wanted)]


def _target(options: _Options, profile: "Profile", own: Path | None) -> "Target":
    from ..analysis.probe import ProbeError, target_of

    target = target_of(profile, options.model, options.base_url, os.environ, built_in=own is None)
    if name := target.rules.key:
        file = options.key_file
        key = file.read_text("utf-8", "replace") if file else os.environ.get(name, "")
        if not key.strip():
            about = f", {target.rules.key_is}" if target.rules.key_is else ""
            raise ProbeError("there is no key", f"set {name}{about}, or name a file with --key-file")
        target.set_key(key.strip())
    return target


def _writable(profile: "Profile", own: Path | None) -> Path:
    """Return the file that `--write` changes. Raises ProbeError for a built-in one that is installed."""
    from ..analysis.probe import ProbeError
    from ..package_files import PACKAGE

    if own is None and not (PACKAGE.parent.parent / "templates").is_dir():
        hint = "write in a checkout of toolcast, or in a profile of your own"
        raise ProbeError("the profile is that of an installed toolcast", hint)
    return own or PACKAGE / f"providers/profiles/{profile.id}.toml"


def _agreed_to(options: _Options, target: "Target", questions: Sequence["Question"]) -> bool:
    """Tell what is sent, and what it costs at most; ask. Return whether anything is to be sent."""
    from ..analysis.probe import MOST_DOLLARS, MOST_REQUESTS, MOST_TOKENS, ProbeError, cost_of

    asked = list({each.digest: each for each in questions}.values())
    read, written, dollars = cost_of(target, asked)
    price = "its price is not known" if dollars is None else f"at most ${ceil(dollars * 100) / 100:.2f}"
    over = read + written > MOST_TOKENS if dollars is None else dollars > MOST_DOLLARS
    key = f" with the key of ${target.rules.key}" if target.rules.key else ""
    cost = f"at most {read:,} tokens read and {written:,} written, {price}"
    requests = f"{count(len(asked), 'request')} to {target.server}{key}; model {target.model}"
    write_line(f"toolcast: {requests}: {cost}", err=True)
    if len(asked) > MOST_REQUESTS or over:
        limits = f"a run makes at most {MOST_REQUESTS:,} requests, for ${MOST_DOLLARS:.0f}, or with "
        limits += f"{MOST_TOKENS:,} tokens where no price is known"
        raise ProbeError(limits, "name fewer rules with --rule, or another model with --model")
    if asked and not options.yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Requests cost money, and nobody can be asked: run it with --yes.")
        click.confirm("Send them?", abort=True, err=True)
    return bool(asked)


def _report(
    form: str, config: Config, target: "Target", findings: Sequence["Finding"], unasked: Sequence[str]
) -> None:
    """Print the verdicts, and the rules of which no request tells."""
    from ..analysis.probe import place_of
    from ..providers import profile_texts

    texts = profile_texts(target.profile.id, config.profiles)
    rows: list[dict[str, Any]] = []
    for each in findings:
        path, line = place_of(each.vector, texts)
        vector = each.vector
        row = {"id": vector.id, "rule": vector.rule, "status": vector.status, "error": vector.error}
        requests = [
            {
                "expected": one.expected,
                "request": msgspec.json.decode(one.body),
                **msgspec.to_builtins(answer),
            }
            for one, answer in each.answers
        ]
        rows.append({**row, "verdict": each.verdict, "profile": f"{show(path)}:{line}", "requests": requests})
    totals: Counter[str] = Counter(each.verdict for each in findings)
    if form == "json":
        about = {"provider": target.profile.id, "server": target.server, "model": target.model}
        report = {**about, "totals": totals, "vectors": rows, "not_asked": unasked}
        click.echo(json_text(target.redactor.value(report)))
        return
    for row in rows:
        if row["verdict"] != "agreed":
            click.echo(printable(target.redactor.text(_text(row))))
    words = ("agreed", "contradicted", "undecided", "found")
    write_line(f"{target.profile.id}: " + ", ".join(f"{totals[word]} {word}" for word in words))
    if unasked:
        write_line(f"no request tells of {count(len(unasked), 'rule')}: {', '.join(unasked)}")


def _text(row: dict[str, Any]) -> str:
    lines = [f"{row['profile']}: {row['verdict']}: {row['rule']} ({row['status']})"]
    for each in row["requests"]:
        wanted, outcome = each["expected"], each["outcome"]
        if row["verdict"] == "contradicted" and outcome in (wanted, "undecided"):
            continue
        missed = f", not {wanted}" if wanted not in (None, outcome) else ""
        lines.append(f"    {outcome}{missed}: {cut(each['text'] or str(each['status']), _LONGEST)}")
        lines.append(f"    request: {cut(msgspec.json.encode(each['request']).decode(), _LONGEST)}")
    return "\n".join(lines)


def _write(file: Path, findings: Sequence["Finding"], *, whole: bool) -> None:
    from ..analysis.probe import renewed
    from ..replace_file import replace_file

    text = file.read_text("utf-8")
    changed = renewed(text, findings, date.today().isoformat(), whole=whole)
    if changed != text:
        replace_file(file, changed.encode())
    done = "dates are set" if changed != text else "nothing to set"
    write_line(f"toolcast: {show(file)}: {done}", err=True)
