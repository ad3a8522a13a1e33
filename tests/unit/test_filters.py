"""What a read may be asked for, before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from pgcortex import Filters, InvalidInput


@pytest.mark.parametrize("field", ["topics", "people", "tags"])
def test_one_text_is_not_taken_for_a_list_of_letters(field: str) -> None:
    wrong: dict[str, Any] = {field: "storage"}
    with pytest.raises(InvalidInput, match=f"{field}: is one text, not a list"):
        Filters(**wrong)
