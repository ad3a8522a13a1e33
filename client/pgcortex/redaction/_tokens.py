"""Secrets known by their own shape: vendor tokens, private keys, JWTs, connection strings, card numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ._spans import Span, is_masked

_LONG_TOKEN = re.compile(r"[\w+/=.:-]{20}")

# Shapes detect-secrets does not know, or matches only in part.
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("openai_key", re.compile(r"\bsk-(?!ant-)[A-Za-z0-9_-]{20,}")),
    ("anthropic_key", re.compile(r"\bsk-ant-[A-Za-z0-9_-]{20,}")),
    ("github_token", re.compile(r"\b(?:github_pat_\w{22,}|gh[pousr]_\w{30,})")),
    ("google_api_key", re.compile(r"\bAIza[\w-]{35,}")),
    ("google_oauth_token", re.compile(r"\bya29\.[\w-]{20,}")),
    ("hugging_face_token", re.compile(r"\bhf_[A-Za-z0-9]{30,}")),
    ("supabase_key", re.compile(r"\b(?:sb_secret_[\w-]{20,}|sbp_[a-f0-9]{40,})")),
    ("stripe_key", re.compile(r"\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,})")),
    ("slack_token", re.compile(r"\bx(?:ox[abposer]|app)-[A-Za-z0-9-]{16,}")),
    ("npm_token", re.compile(r"\bnpm_[A-Za-z0-9]{36,}|(?<=:_authToken=)(?!\$|\[)[^\s\"']{8,}")),
    ("digitalocean_token", re.compile(r"\bdo[opr]_v1_[a-f0-9]{40,}")),
    ("shopify_token", re.compile(r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}")),
    ("age_key", re.compile(r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}")),
    ("jwt", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?(?:\.[\w-]+){0,2}")),
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]|-(?!----END))*(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?"
)
_CREDENTIALS_IN_URL = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,30}://[^\s:/@\"'<>]*:(?P<value>[^\s/\"'<>]+)@(?=[\w\[])", re.I
)
_BEARER = re.compile(
    r"\b(?:bearer|authorization:\s*(?:basic|token))\s+(?P<value>(?=[\w.~+/=-]*\d)[\w.~+/-]{16,}={0,2})",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)")
_CARD_GROUPS = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}|3\d{3}([ -])\d{6}\2\d{5}")
_CARD_WORDS = re.compile(r"\b(?:card|visa|master ?card|amex|credit|debit)\b", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"[$%{<\[(*.x_-].*|(?:your|my|the)?[-_]?(?:password|passwd|passw|pass|pwd|pw|secret|token|changeme)|\d{1,5}",
    re.I,
)

# detect-secrets' detectors whose pattern is the secret alone; the others are covered by shapes or by name.
_DETECTORS = {
    "artifactory": ("ArtifactoryDetector", "artifactory_token"),
    "aws": ("AWSKeyDetector", "aws_key"),
    "azure_storage_key": ("AzureStorageKeyDetector", "azure_storage_key"),
    "cloudant": ("CloudantDetector", "cloudant_key"),
    "discord": ("DiscordBotTokenDetector", "discord_token"),
    "github_token": ("GitHubTokenDetector", "github_token"),
    "gitlab_token": ("GitLabTokenDetector", "gitlab_token"),
    "ibm_cos_hmac": ("IbmCosHmacDetector", "ibm_key"),
    "mailchimp": ("MailchimpDetector", "mailchimp_key"),
    "pypi_token": ("PypiTokenDetector", "pypi_token"),
    "sendgrid": ("SendGridDetector", "sendgrid_key"),
    "slack": ("SlackDetector", "slack_token"),
    "softlayer": ("SoftlayerDetector", "softlayer_key"),
    "square_oauth": ("SquareOAuthDetector", "square_secret"),
    "stripe": ("StripeDetector", "stripe_key"),
    "telegram_token": ("TelegramBotTokenDetector", "telegram_token"),
    "twilio": ("TwilioKeyDetector", "twilio_key"),
}


def token_spans(text: str) -> Iterator[Span]:
    """Every secret that its own shape gives away."""
    if "-----BEGIN" in text:
        yield from (Span(*m.span(), "private_key", 0) for m in _PRIVATE_KEY.finditer(text))
    if "@" in text:
        yield from _url_passwords(text)
    if _LONG_TOKEN.search(text):
        for kind, pattern in _SHAPES:
            yield from (Span(*m.span(), kind, 1) for m in pattern.finditer(text) if _mixed(m.group()))
        yield from _detected(text)
    for match in _BEARER.finditer(text):
        yield Span(*match.span("value"), "bearer_token", 3)
    yield from _cards(text)


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for one: `<password>`, `$TOKEN`, `xxxx`, `[redacted:…]`, "your-secret"."""
    return _PLACEHOLDER.fullmatch(value) is not None


def _url_passwords(text: str) -> Iterator[Span]:
    for match in _CREDENTIALS_IN_URL.finditer(text):
        value = match.group("value")
        if not is_placeholder(value) and not is_masked(value):
            yield Span(*match.span("value"), "password", 2)


def _detected(text: str) -> Iterator[Span]:
    for kind, pattern in _detect_secrets():
        for match in pattern.finditer(text):
            group = next((i for i in range(1, (pattern.groups or 0) + 1) if match.group(i)), 0)
            start, end = match.span(group if len(match.group(group)) >= 16 else 0)
            while start < end and text[start] in " \t\n=:\"'":
                start += 1
            while end > start and text[end - 1] in " \t\n\"'":
                end -= 1
            if _stands_alone(text, start) and _has_digit(text[start:end]):
                yield Span(start, _word_end(text, end), kind, 1)


def _has_digit(text: str) -> bool:
    return re.search(r"\d", text) is not None


def _mixed(token: str) -> bool:
    """Whether a token is random enough: `sk-learn-something-else` is a name."""
    return _has_digit(token) or not token.islower() or token.startswith("sb_secret_")


def _stands_alone(text: str, start: int) -> bool:
    return start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_/-")


def _word_end(text: str, end: int) -> int:
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return end


@cache
def _detect_secrets() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The patterns of detect-secrets' detectors; only these, so no file, setting or network is used."""
    from importlib import import_module

    found: list[tuple[str, re.Pattern[str]]] = []
    for module, (name, kind) in _DETECTORS.items():
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        found += [(kind, pattern) for pattern in detector.denylist]
    return tuple(found)


def _cards(text: str) -> Iterator[Span]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        grouped = _CARD_GROUPS.fullmatch(match.group()) is not None
        named = _CARD_WORDS.search(text[max(match.start() - 40, 0) : match.start()]) is not None
        if digits[0] in "3456" and (grouped or named) and _luhn(digits):
            yield Span(*match.span(), "card_number", 2)


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0
