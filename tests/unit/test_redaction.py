"""Secrets are masked with their kind; text that talks about secrets is left alone (case C45).

The secrets here are made up; those in a vendor's format are put together from two halves, so that a scanner
of this repository does not take them for leaks.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgcortex.redaction import Finding, redact, redact_value

GITHUB = "ghp" + "_" + "a1B2" * 9
JWT = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0"
    + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9"
)
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc=\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("password: {}", "hunter2", "password"),
    ("password: {}\nuser: bob", "correcthorse", "password"),
    ("The password for staging is {}", "c0rrect-horse!", "password"),
    ("PASSWORD={} make run", "s3cr3t", "password"),
    ("db_password = '{}'", "letmein", "password"),
    ("the root password is changed to {}", "Z9!kdlq2", "password"),
    ("Wifi: network Fjord5, password is {}", "sommer-2019", "password"),
    ("the pw is '{}', tell nobody", "open sesame", "password"),
    ("passwort ist {}", "Fr3iburg!", "password"),
    ("log in as admin password {}", "Adm1n$ecure", "password"),
    ("Server=db;User Id=sa;Password={};", "Gh7!kk2", "password"),
    ("postgres://app:{}@db.example.org:5432/app", "S3cr3tPw", "password"),
    ("redis://:{}@cache:6379/0", "pa55word", "password"),
    ("https://user:{}@example.org/x", "t0psecret", "password"),
    ("mysql://root:{}@localhost/db", "p@ss1word", "password"),
    ("my pin is {}", "4821", "pin"),
    ("door code: {}", "4711#", "pin"),
    ('{{"client_secret": "{}"}}', "9aF3kLmQ0zXy7vBn", "api_key"),
    ("api_key: {}", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "api_key"),
    ("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzLEKEY1", "api_key"),
    ("secret is {}", "8f3kd92mXq01Lz", "secret"),
    ("access token was {}", "9dk2mf83ks92kd02", "secret"),
    ("Authorization: Bearer {}", "abcdef1234567890abcdef", "bearer_token"),
    ("curl -H 'authorization: bearer {}'", "ZXhhbXBsZTEyMzQ1Njc4OTA=", "bearer_token"),
    ("use {} for now", GITHUB, "github_token"),
    ("use {} for now", "github" + "_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz", "github_token"),
    ("export OPENAI_API_KEY={}", "sk-" + "proj-abcDEF1234567890abcDEF1234", "openai_key"),
    ("key {}", "sk-" + "ant-api03-AbCdEf0123456789AbCdEf0123", "anthropic_key"),
    ("{} was committed", "AKIA" + "IOSFODNN7EXAMPLE", "aws_key"),
    ("jwt {}", JWT, "jwt"),
    ("{}\nthanks", PEM, "private_key"),
    ("cut off: {}", "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3BlbnNzaC1rZXk", "private_key"),
    ("bot {}", "xoxb" + "-123456789012-abcdefABCDEF123", "slack_token"),
    ("ci {}", "glpat" + "-AbCdEfGh1jKlMnOpQrSt", "gitlab_token"),
    ("maps {}", "AIza" + "SyA1234567890abcdefghijklmnopqrstuvw", "google_api_key"),
    ("hub {}", "hf" + "_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "hugging_face_token"),
    ("mail {}", "SG" + ".a1b2c3d4e5f6g7h8i9j0k1.A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v", "sendgrid_key"),
    ("pay {}", "sk" + "_live_4eC39HqLyjWDarjtT1zdp7dc", "stripe_key"),
    ("service {}", "sb" + "_secret_abcdefghijklmnopqrstuv_wx", "supabase_key"),
    ("{} is the bot", "1234567890" + ":AAF1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "telegram_token"),
    ("//registry.npmjs.org/:_authToken={}", "npm" + "_abcdefghijklmnopqrstuvwxyz0123456789", "npm_token"),
    ("card {} exp 04/28", "4111 1111 1111 1111", "card_number"),
    ("charge visa {} please", "4242424242424242", "card_number"),
]

# An AWS secret key with a single digit, each time called something else.
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY"
SECRETS += [
    ("secret {}", AWS_SECRET, "secret"),
    ("the aws secret for prod is {} now", AWS_SECRET, "secret"),
    ("token: {}", AWS_SECRET, "secret"),
    ("the key is '{}'", AWS_SECRET, "api_key"),
    ("AWS secret access key {}", AWS_SECRET, "api_key"),
    ('"SecretAccessKey": "{}"', AWS_SECRET, "api_key"),
]

HARMLESS = """
we have no API key
rotate the API key
the password policy is strict
token budget is 4096
The password is in 1Password.
password is required
The password must be at least 12 characters.
Password: see the vault
Password reset emails are slow since Tuesday.
passwords are hashed with argon2id
password rotation every 90 days
password=<your password>
password = getpass()
def login(user: str, password: str) -> None:
postgres://user:password@localhost/db
postgres://app:$DB_PASSWORD@host/db
api_key=os.environ['KEY']
max_tokens=4096, temperature=0.2
token count: 1532
tokens: 1,204 in, 310 out
a token is about 4 characters
access token lifetime is 15m
refresh token rotation was enabled on 2026-05-01
the api key is valid until 2026-12-31
API key rotation is done by Omar every quarter
the access key is held by Sarah
the client secret is stored in Vault
the secret is to start small
Secret Santa: 12 December
secret sauce v2
The key is under the mat.
primary key: user_id
cache key = user:1234:profile
Idempotency-Key: 8d3f-22
key: value pairs
The bearer of bad news arrived 20251012.
Bearer tokens expire after 3600 seconds
-----BEGIN PUBLIC KEY----- MIIBIjANBg -----END PUBLIC KEY-----
id 3fa85f64-5717-4562-b3fc-2c963f66afa6
commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b fixed it
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
session 01HZX3T9V7K2J8Q4M6N5P0RWBY ended
order 4111111111111 and id 1234567890123456
phone +49 30 1234567890, isbn 978-3-16-148410-0
see https://www.postgresql.org/docs/current/ddl-rowsecurity.html
http://localhost:8080/health@2x.png
mail ann@example.org about it, or git@github.com:acme/repo.git
/usr/local/lib/python3.11/site-packages/pgcortex/extraction/_rules.py
arn:aws:s3:::my-bucket/reports/2026/05/06
pgvector/pgvector:0.8.6-pg17 and text-embedding-3-small@1536
passed 120 of 124 tests, the pass rate is 96.8%
the monkey ate 3 bananas, hotkey: ctrl+shift+k
area code is 0301, the pin is broken
sk-learn-compatible-estimators are fine
the key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is a commit
the token is readSecretTokenOfVaultAndRotateItOftener1
key is docs/Setup/TokenProvider/KeyVaultRotate7
""".strip().splitlines()


def test_a_password_and_a_token_are_masked_and_reported_case_c45() -> None:
    """Case C45: the values go, the meaning stays, and the answer says what was masked."""
    done = redact(f"db password is Tr0ub4dor, token {GITHUB}")
    assert done.text == "db password is [redacted:password], token [redacted:github_token]"
    assert done.found == [Finding("password", 1), Finding("github_token", 1)]


def test_text_that_only_mentions_a_key_is_unchanged_case_c45() -> None:
    """Case C45: the second input."""
    done = redact("we have no API key")
    assert (done.text, done.found) == ("we have no API key", [])


@pytest.mark.parametrize(("template", "secret", "kind"), SECRETS)
def test_secrets_are_masked_and_the_words_around_them_stay(template: str, secret: str, kind: str) -> None:
    done = redact(template.format(secret))
    assert done.text in (template.format(f"[redacted:{kind}]"), template.format(f"[redacted:{kind}]!"))
    assert done.found == [Finding(kind, 1)]


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_untouched(text: str) -> None:
    assert redact(text).text == text
    assert redact(text).found == []


@pytest.mark.parametrize("text", [template.format(secret) for template, secret, _ in SECRETS])
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once
    assert redact(once).found == []


def test_the_same_kind_is_counted() -> None:
    assert redact(f"{GITHUB} and {GITHUB[:-1]}x").found == [Finding("github_token", 2)]


def test_metadata_is_masked_in_depth() -> None:
    value, found = redact_value(
        {
            "note": f"use {GITHUB}",
            "login": {"user": "bob", "password": "abc"},
            "list": [1, None, "pin is 4821"],
        }
    )
    assert value == {
        "note": "use [redacted:github_token]",
        "login": {"user": "bob", "password": "[redacted:password]"},
        "list": [1, None, "pin is [redacted:pin]"],
    }
    assert found == [Finding("github_token", 1), Finding("password", 1), Finding("pin", 1)]
    assert redact_value(value) == (value, [])


def test_two_keys_that_are_secrets_themselves_both_stay() -> None:
    value, _ = redact_value({GITHUB: 1, GITHUB[:-1] + "x": 2})
    assert sorted(value.values()) == [1, 2]
    assert not any("a1B2" in key for key in value)


@pytest.mark.slow
def test_a_million_characters_take_seconds_not_minutes() -> None:
    for text in (
        "sk-" * 330_000,
        "a_" * 500_000,
        "://a:b@" * 140_000,
        "password for x " * 60_000,
        "1 " * 500_000,
    ):
        started = time.process_time()
        redact(text)
        assert time.process_time() - started < 20


PIECES = st.sampled_from(
    [
        "password",
        "is",
        "=",
        ":",
        "token",
        "key",
        "api_key",
        "secret",
        "://",
        "user",
        "@",
        "host",
        "Tr0ub4dor!",
        "abc123",
        "[redacted:password]",
        "[",
        "]",
        "redacted:",
        "ghp" + "_",
        "a1B2" * 9,
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "\n",
        " ",
        "'",
        '"',
        "4111 1111 1111 1111",
        "eyJ",
        ".",
        ",",
        "pin",
        "4821",
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(PIECES, max_size=14).map("".join)
    | st.lists(PIECES, max_size=14).map(" ".join)
    | st.text(max_size=80)
)
def test_redaction_is_idempotent_on_any_mixture(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once
