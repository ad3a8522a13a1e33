"""Failures as a model reads them: what happened and what to do, never a stack trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from pgcortex._errors import CortexError, DatabaseUnavailable, ProviderUnavailable

P = ParamSpec("P")
R = TypeVar("R")


def told(tool: Callable[P, R]) -> Callable[P, R]:
    """The same tool, whose errors become results with `isError` and advice."""

    @wraps(tool)
    def answering(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return tool(*args, **kwargs)
        except CortexError as error:
            raise ToolError(sentence(error)) from error

    return answering


def sentence(error: CortexError) -> str:
    """An error of the product in words; an outage is told apart from an empty memory."""
    words = f"{error.code}: {error.message}."
    if error.hint:
        words += f" Try: {error.hint}."
    if isinstance(error, DatabaseUnavailable | ProviderUnavailable):
        words += " This says nothing about what is stored: do not conclude that there is no such memory."
    return words.replace("..", ".")


def argument_problems(error: ValidationError) -> str:
    """One line for each argument that could not be read."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()
    )
