from __future__ import annotations
import json
from dataclasses import dataclass, field
from typing import Any
import openai
from pgcortex.extraction import Metadata
from pgcortex._openai_errors import translated
from pgcortex._retry import RetryPolicy, retrying


@dataclass
class Usage:
    input_tokens: int
    output_tokens: int


@dataclass
class Relation:
    id: str
    relation: str


@dataclass
class LlmExtraction:
    metadata: Metadata
    relations: list[Relation]
    usage: Usage


_clients: dict[str, Any] = {}


def extract_llm(content: str, *, now: Any, neighbours: Any, settings: Any) -> LlmExtraction:
    c = _clients.get("x") or _clients.setdefault(
        "x",
        openai.OpenAI(
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key.get_secret_value(),
            timeout=settings.timeout,
            max_retries=0,
        ),
    )

    def call():
        try:
            return c.chat.completions.create(
                model=settings.llm_model, messages=[{"role": "user", "content": content}]
            )
        except openai.OpenAIError as e:
            raise translated(e, "the language model") from None

    r = retrying(call, RetryPolicy(attempts=3, base=0.1, cap=0.3))
    try:
        d = json.loads(r.choices[0].message.content)
        rel = d.pop("relations", []) if isinstance(d, dict) else []
    except ValueError:
        d, rel = {}, []
    return LlmExtraction(
        Metadata.from_untrusted(d, extractor="llm/" + settings.llm_model + "/1"),
        [Relation(**x) for x in rel],
        Usage(r.usage.prompt_tokens, r.usage.completion_tokens),
    )
