"""Every error the SDK raises.

CortexError
├── InvalidInput          a value we were given; `field` names it
│   └── UnreadableFile    a file that is not text in an encoding that can be told for certain
├── NotAuthorized         no identity, an expired token, or a role that may not do this
├── NotFound              no such memory for this owner
├── Conflict              it contradicts what is stored (a cycle of supersessions, a second model)
├── SchemaOutOfDate       the database and this client speak different versions
├── EmbeddingMismatch     the brain's vectors and the embedder's differ in size or model
├── DatabaseUnavailable   no connection, or it was lost; safe to retry
│   └── QueryTimeout      the statement timeout ended it; safe to retry
├── ProviderUnavailable   an embedding or language model did not answer; safe to retry later
├── ProviderRefused       it answered that the request or the key is wrong; a retry will not help
├── LocalBrainError       the embedded Postgres on this machine could not be used
├── FolderUnavailable     the folder of notes cannot be read or written
├── FolderBusy            another process is changing the folder of notes; safe to retry
└── DependencyMissing     an optional extra is not installed
"""

from __future__ import annotations


class CortexError(Exception):
    """The base: `message` says what happened, `hint` what to do about it."""

    code = "error"
    retryable = False

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InvalidInput(CortexError):
    """A value was refused before anything was stored or paid for; `field` names the argument."""

    code = "invalid_input"

    def __init__(self, field: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(f"{field}: {message}", hint=hint)
        self.field = field


class UnreadableFile(InvalidInput):
    """A file is not text in an encoding that can be told for certain; nothing was guessed."""

    code = "unreadable_file"


class NotAuthorized(CortexError):
    """Nobody is signed in, or the one who is may not do this."""

    code = "not_authorized"


class NotFound(CortexError):
    """No such memory for this owner; another owner's memory looks exactly the same."""

    code = "not_found"


class Conflict(CortexError):
    """The request contradicts what is stored."""

    code = "conflict"


class SchemaOutOfDate(CortexError):
    """The database's functions and this client's calls do not fit together."""

    code = "schema_out_of_date"


class EmbeddingMismatch(CortexError):
    """The brain stores vectors of one size or model, the embedder makes another."""

    code = "embedding_mismatch"


class DatabaseUnavailable(CortexError):
    """The database did not answer; nothing is known about what it holds."""

    code = "database_unavailable"
    retryable = True


class QueryTimeout(DatabaseUnavailable):
    """The database ended the statement at its time limit."""

    code = "query_timeout"


class ProviderUnavailable(CortexError):
    """A model provider timed out, limited us, or failed; `retry_after` is in seconds where it said."""

    code = "provider_unavailable"
    retryable = True

    def __init__(self, message: str, *, hint: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ProviderRefused(CortexError):
    """A model provider answered 400, 401, 403 or something that cannot be used."""

    code = "provider_refused"


class LocalBrainError(CortexError):
    """The embedded Postgres could not be started, reached or stopped."""

    code = "local_brain"


class FolderUnavailable(CortexError):
    """The folder of notes cannot be read or written: no permission, a full disk, not a folder."""

    code = "folder_unavailable"


class FolderBusy(CortexError):
    """Another process has been changing the folder for longer than we wait; safe to retry."""

    code = "folder_busy"
    retryable = True


class DependencyMissing(CortexError):
    """A part that needs an optional extra was asked for without it."""

    code = "dependency_missing"
