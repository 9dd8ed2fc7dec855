"""Clips in a row become one take: python examples/timeline.py take.bvh"""

import sys

import footfall as ff

take = ff.timeline(["walk:cycles=3", "kick", "running-kick", "stand"]).render()
for part in take.report.segments:
    print(f"{part.start_s:6.2f} {part.end_s:6.2f} s  {part.kind:11} {' → '.join(part.clips):22} {part.reason}")
ff.save(take, sys.argv[1] if len(sys.argv) > 1 else "take.bvh")
