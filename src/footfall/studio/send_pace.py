"""Send pace: how far a stream of poses may be ahead of what its page has shown.

A socket alone does not tell: what lies in the system's buffers and in the browser's line counts as delivered, several
seconds of it, and is old when it is drawn. So pages say what they have shown, and one that has enough is sent no more.
"""

from __future__ import annotations


class SendPace:
    """Frames by number. A page that never says what it has shown is sent all."""

    def __init__(self, most_ahead: int) -> None:
        self._most_ahead = most_ahead
        self._shown: int | None = None

    def seen(self, number: int) -> None:
        """The page has shown this frame."""
        self._shown = number if self._shown is None else max(self._shown, number)

    def is_ahead(self, number: int) -> bool:
        """Whether this frame would be too far ahead of what was shown."""
        return self._shown is not None and number - self._shown > self._most_ahead
