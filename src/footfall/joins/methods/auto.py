"""Chooses when to enter, where the feet go and how long it takes, and keeps the best of what it made and measured."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.edit.sample import need_frames
from footfall.joins.departure import Departure
from footfall.joins.methods._setting import options
from footfall.joins.search import WITHIN_S, SearchRequest, search
from footfall.joins.transition import Transition, TransitionRequest

OPTIONS: dict[str, object] = {}


def transition(departure: Departure, target: Clip, request: TransitionRequest) -> Transition:
    """The best transition from this very departure, as a blend: `join` plans the same feet for it again."""
    options(request, "auto", OPTIONS)
    need_frames(target, what="entered")
    low, high = request.window_s
    window_s = (low, high if low > 0.0 else min(high, WITHIN_S))
    asked = SearchRequest(None, request.enter_s, request.length_s, window_s, led=False)
    return search(departure, target, asked)[0].section.made
