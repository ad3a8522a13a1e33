"""One typed place for everything that can be configured: `PGCORTEX_*` variables or a `.env` file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, TypeVar
from uuid import UUID

import platformdirs
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from pgcortex._errors import InvalidInput


class Settings(BaseSettings):
    """Where the brain is, who is asking, and which models are used.

    With neither `database_url` nor `supabase_url` the brain is the local one in `data_dir`.
    Secrets are `SecretStr`: they never appear in a repr, a log line or an error.
    """

    model_config = SettingsConfigDict(
        env_prefix="PGCORTEX_", env_file=".env", env_ignore_empty=True, extra="ignore"
    )

    # Where
    data_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("pgcortex")))
    database_url: SecretStr | None = None
    supabase_url: str | None = None
    supabase_key: SecretStr | None = None
    functions_url: str | None = None
    timeout: float = Field(
        default=10.0, gt=0, allow_inf_nan=False, description="seconds for one call to the database or API"
    )

    # Who
    access_token: SecretStr | None = None
    owner_id: UUID | None = None
    namespace: str = "default"
    allow_service_key: bool = False

    # Models
    embedder: Literal["local", "openai", "none"] = "local"
    openai_api_key: SecretStr | None = None
    openai_base_url: str = "https://api.openai.com/v1"
    embedding_model: str = "text-embedding-3-small"
    embedding_dimensions: int = Field(default=1536, gt=0, le=4000)
    extractor: Literal["rules", "none"] = "rules"
    redact: bool = True
    context_weight: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="share of the previous thought of a session in an embedding; 0 is none",
    )

    # The markdown twin
    mirror_dir: Path | None = Field(
        default=None, description="a folder, of one owner alone, for a note of every memory; None is none"
    )


_Kind = TypeVar("_Kind", bound=Settings)


def read_settings(kind: type[_Kind], **given: Any) -> _Kind:
    """The settings, of which `given` overrides some.

    Raises InvalidInput that names the variable, never its value.
    """
    try:
        return kind(**given)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        # What follows says what the parser met, which may quote the value.
        wanted = re.split(r", (?:unable|invalid)", first["msg"].removeprefix("Input "))[0]
        raise InvalidInput(
            f"PGCORTEX_{str(first['loc'][0]).upper()}",
            wanted,
            hint="correct it where it is set, in the environment or in .env, or leave it out for the default",
        ) from None
