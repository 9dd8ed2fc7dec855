"""Steering with the keyboard in a terminal: w/s faster and slower, a/d turn, r run, space stand, v wave, q quit.

The character is drawn from above, as an arrow on a map of letters; everything about it is printed below.
"""

from __future__ import annotations

import select
import sys
import termios
import time
import tty

import footfall as ff

ARROWS = "↑↖←↙↓↘→↗"
WIDE, HIGH, METRE = 60, 22, 2.0  # columns, rows, columns a metre


def main() -> None:
    hero = ff.Controller(ff.graph("builtin"))
    kind, speed, turn = "stand", 1.2, 0.0
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin.fileno())
    try:
        while True:
            if select.select([sys.stdin], [], [], 0)[0]:
                key = sys.stdin.read(1)
                if key == "q":
                    return
                speed = max(0.5, speed + {"w": 0.2, "s": -0.2}.get(key, 0.0))
                turn = turn + {"a": 15.0, "d": -15.0}.get(key, 0.0)
                kind = {"w": "walk", "r": "run", " ": "stand"}.get(key, kind)
                speed = 3.0 if key == "r" else min(speed, 1.9) if kind == "walk" else speed
                if key == "v":
                    hero.act("wave")
            hero.step(1 / 30, type=kind, speed=speed, turn=turn)
            draw(hero)
            time.sleep(1 / 30)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def draw(hero: ff.Controller) -> None:
    """The map and the state, over what was drawn before."""
    x, _, z = hero.position
    state = hero.state
    arrow = ARROWS[round(hero.heading / 0.785398) % 8]
    rows = [["·" if (c + int(x * METRE)) % 10 == 0 and (r - int(z)) % 5 == 0 else " " for c in range(WIDE)]
            for r in range(HIGH)]  # fmt: skip
    rows[HIGH // 2][WIDE // 2] = arrow
    lines = ["".join(row) for row in rows]
    got = state.achieved
    lines.append(
        f"{state.node} {state.edge}  {got['speed']:.2f} m/s  {got['turn']:.0f} °/s" + "  limited" * state.clamped
    )
    sys.stdout.write("\x1b[H\x1b[2J" + "\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
