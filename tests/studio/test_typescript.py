"""The page's types agree with the messages."""

from __future__ import annotations

from typing import get_args

import pytest
from write_page_types import TARGET, messages_text, type_text

from footfall.studio import messages


def test_the_committed_file_is_what_the_messages_give():
    assert TARGET.read_text("utf-8") == messages_text(), "run: python tools/write_page_types.py"


def test_every_message_is_there_with_its_tag():
    text = messages_text()
    for message in (*get_args(messages.ToServer), *get_args(messages.ToPage)):
        assert f"export interface {message.__name__} {{" in text
        assert f'readonly type: "{message.__struct_config__.tag}";' in text
    for change in get_args(messages.Change):
        assert f'readonly do: "{change.__struct_config__.tag}";' in text


def test_fields_may_be_left_out_only_on_the_way_to_the_server():
    text = messages_text()
    assert "readonly startS?: number | null;" in text  # AddClip
    assert "readonly undo: string | null;" in text  # Project
    assert "readonly skin: string | null;" in text  # SkeletonView has a default, and is only ever sent by the server


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (tuple[int, ...], "readonly number[]"),
        (tuple[str | None, ...], "readonly (string | null)[]"),
        (tuple[float, str], "readonly [number, string]"),
        (dict[str, float], "Readonly<Record<string, number>>"),
    ],
)
def test_types(kind, expected):
    assert type_text(kind, {}) == expected


def test_a_type_without_a_rule_is_refused():
    with pytest.raises(TypeError, match="no rule"):
        type_text(list[int], {})
