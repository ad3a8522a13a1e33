"""Is this deployment well? The short answer for anyone, the long one for the worker."""

from __future__ import annotations

from typing import Any

from pgcortex._errors import CortexError, InvalidInput
from pgcortex._openai_errors import lacks_key, missing_key
from pgcortex_functions._app import App
from pgcortex_functions._http import Call, Reply
from pgcortex_functions._keyless import KeylessEmbedder


def health(app: App, call: Call) -> Reply:
    """200 when the database answers, the embedder fits it and the models have their key, 503 otherwise.

    Anyone learns which checks pass. With the worker's secret the answer says why, and holds the backlog.
    """
    brain, database = _database(app)
    embedder = _embedder(app, brain)
    checks = {"database": database, "embedder": embedder, "language_model": _language_model(app)}
    well = all(check["ok"] for check in checks.values())
    answer: dict[str, Any] = {"status": "ok" if well else "unwell"}
    if _is_worker(app, call):
        answer |= {"checks": checks, "brain": brain, "llm_model": app.settings.llm_model}
    else:
        answer["checks"] = {name: check["ok"] for name, check in checks.items()}
    return Reply(200 if well else 503, answer)


def _database(app: App) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    try:
        brain: dict[str, Any] = app.for_worker().call("brain_health", {})
    except InvalidInput as error:
        return None, {"ok": True, "note": f"not asked: {error}"}
    except CortexError as error:
        return None, _failed(error)
    return brain, {"ok": True}


def _embedder(app: App, brain: dict[str, Any] | None) -> dict[str, Any]:
    try:
        embedder = app.embedder
    except CortexError as error:
        return _failed(error)
    if app.settings.embedder == "local" and embedder is not None:
        # Its packages are looked for at the first text, and a text costs nothing here.
        try:
            embedder.embed(["Are you well?"])
        except CortexError as error:
            return _failed(error)
    misfit = app.fits(brain["embedding_dimensions"], brain["embedding_model"]) if brain else None
    if misfit:
        return _failed(misfit)
    if isinstance(embedder, KeylessEmbedder):
        return _failed(missing_key())
    return {"ok": True, "model": embedder.model if embedder else None}


def _language_model(app: App) -> dict[str, Any]:
    model = app.settings.llm_model
    if model and lacks_key(app.settings.openai_base_url, app.settings.openai_api_key):
        return _failed(missing_key())
    return {"ok": True, "model": model}


def _failed(error: CortexError) -> dict[str, Any]:
    return {"ok": False, "code": error.code, "message": str(error)}


def _is_worker(app: App, call: Call) -> bool:
    if call.authorization is None:
        return False
    app.verifier.worker(call.authorization)
    return True
