"""What a transport must do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Transport(Protocol):
    """Calls public functions of the database for one signed-in owner."""

    def call(
        self, function: str, arguments: Mapping[str, Any], *, many: bool = False, repeatable: bool = False
    ) -> Any:
        """Call one RPC by argument name; arguments that are None are left to the function's defaults.

        many: answer a list with every row or value, otherwise the one value.
        repeatable: the call changes nothing and may be sent again when the connection fails.

        Raises the errors of `pgcortex._errors`.
        """
        ...

    def close(self) -> None:
        """Give connections back; the transport is not used afterwards."""
        ...
