"""The prompts in `prompts/*.md` and how data is put beside them."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Prompt:
    """The instructions of one prompt file, with the version that is stored beside what it produced."""

    name: str
    version: int
    text: str

    def messages(self, items: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
        """The system and user message for labelled texts.

        Each text is one JSON string between two lines with a mark drawn anew for each call, so nothing in a
        text can end its item or pose as another.
        """
        boundary = secrets.token_hex(8)
        data = [f"BEGIN {label} {boundary}\n{_quoted(text)}\nEND {label} {boundary}" for label, text in items]
        return [
            {"role": "system", "content": self.text.replace("{boundary}", boundary)},
            {"role": "user", "content": "\n".join(data)},
        ]


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `prompts/{name}.md`; its first lines hold the version."""
    source = resources.files(__package__).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    found = re.fullmatch(r"---\nversion: (\d+)\n---\n(.+)", source, re.DOTALL)
    if found is None:
        raise ValueError(f"prompts/{name}.md does not begin with its version")
    return Prompt(name, int(found.group(1)), found.group(2).strip())


def _quoted(text: str) -> str:
    return json.dumps(sendable(text), ensure_ascii=False)


def sendable(text: str) -> str:
    """`text` without NUL and lone surrogates, which no JSON body can carry to a model."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode("utf-8")
