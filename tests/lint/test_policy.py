"""Secrets by words, not substrings; destruction by verbs, not mentions."""

from pathlib import Path

import pytest
from toolcast.analysis.lint.all_checks import destructive_verb, looks_secret

from tests.lint.projects import found, spec, write

SECRETS = """
password new_password userPassword api_key apiKey API_KEY x-api-key token access_token refreshToken secret
client_secret aws_secret_access_key private_key credentials githubToken auth_token passphrase
secret_value bearer_token session_key apikey
"""
OTHERS = """
max_tokens token_count page_token next_token continuationToken token_type tokens secret_name secret_id
secretArn password_length password_last_used key primary_key sort_key foreign_key keyboard tokenize secretary
credential_type passwordless keys object_key
"""


@pytest.mark.parametrize(
    "name",
    SECRETS.split(),
)
def test_secrets(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    OTHERS.split(),
)
def test_no_secrets(name: str) -> None:
    assert not looks_secret(name)


def test_secrets_of_an_external_tool_are_not_resolved_here(tmp_path: Path) -> None:
    text = {"token": {"type": "string", "description": "For the service."}}
    tools = {
        "ask": spec(properties=text, secrets=["token"], external=True),
        "send": spec(properties=text, secrets=["token"]),
        "wait": spec(properties=text, secrets=[], external=True),
    }
    (note,) = found(write(tmp_path, tools), "unresolved-secrets")
    assert (note.tool, note.severity) == ("ask", "note")
    assert "in place of secrets in 'token'" in note.message
    tools["ask"]["lint"] = {"ignore": {"unresolved-secrets": "The queue's workers resolve them."}}
    assert found(write(tmp_path, tools), "unresolved-secrets") == []


def test_only_undeclared_parameters_that_take_text_are_reported(tmp_path: Path) -> None:
    text = {"type": "string", "description": "For the service."}
    properties = {
        "api_key": text,
        "password": text,
        "reset_password": {"type": "boolean", "description": "Whether it is asked for anew."},
        "auth": {"type": "object", "description": "How to sign in.", "properties": {"token": text}},
        "env": {"type": "object", "description": "Variables.", "properties": {"secret": text}},
        "credential": {"enum": ["none", "stored"], "description": "Which one is used."},
    }
    made = spec(properties=properties, secrets=["password", "env"])
    reported = found(write(tmp_path, {"sign_in": made}), "secret-parameter")
    assert [each.message.split("'")[1] for each in reported] == ["api_key", "auth.token"]
    assert reported[1].fix == "write `secrets: [password, env, auth]`"


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("delete_file", "Takes a file away."),
        ("file_delete", "Takes a file away."),
        ("clean", "Deletes all files of a folder."),
        ("clean", "Permanently removes a folder."),
        ("drop_table", "Takes a table away."),
        ("tidy", "Drops the index of a collection."),
        ("killProcess", "Ends it."),
    ],
)
def test_destruction(name: str, description: str) -> None:
    assert destructive_verb(name, description)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("list_deleted", "Lists what was deleted; use delete_file to delete more."),
        ("browser_drop", "Drops a file onto an element."),
        ("get_kill_switch", "Tells whether it is on."),
        ("check_delete", "Tells whether a file may be deleted."),
        ("undelete", "Brings a deleted file back."),
        ("removed_items", "Items removed lately."),
        ("skill", "Tells a skill."),
    ],
)
def test_no_destruction(name: str, description: str) -> None:
    assert destructive_verb(name, description) == ""


def test_destruction_is_reported_only_of_tools_with_permission_read(tmp_path: Path) -> None:
    made = {permission: spec(permission=permission) for permission in ("read", "write", "execute")}
    folder = write(
        tmp_path, {f"{permission}/{permission}ing_purge": each for permission, each in made.items()}
    )
    (only,) = found(folder, "destructive-read")
    assert (only.tool, only.severity, only.line) == ("reading_purge", "warning", 2)
