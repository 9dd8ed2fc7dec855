"""A vectorised environment of characters on a GPU: reset, step with commands and shoves, observations; all tensors.

The task: be where a goal is, at the speed that is wanted, while being pushed about. An action is what a player's stick
says (type, speed, turn). Needs footfall[gpu] and a GPU:  python examples/gpu_environment.py
"""

import time

import torch

import footfall as ff

DT, EPISODE = 1 / 30, 300  # seconds of a step; steps of an episode
SHOVE_EVERY, SHOVE_M_S = 90, 1.0  # steps between shoves of a character, on average, and how hard


class Walkers:
    """N characters; actions (N, 3): 0 stand, 1 walk, 2 run; speed m/s; turn °/s."""

    def __init__(self, graph, count, seed=0, device="cuda"):
        self.crowd = ff.Crowd(graph, count, seed=seed, device=device)
        self.count, self.device = count, device
        self.random = torch.Generator(device).manual_seed(seed)
        self.numbers = torch.tensor([self.crowd.types.index(name) for name in ("stand", "walk", "run")], device=device)
        self.left = torch.zeros(count, dtype=torch.int32, device=device)
        self.goal = torch.zeros((count, 2), dtype=torch.float64, device=device)

    def reset(self, which=None):
        """Another goal, and another place, for these characters (N,) bool, or for all; what all see."""
        which = torch.ones(self.count, dtype=torch.bool, device=self.device) if which is None else which
        draw = torch.rand((self.count, 5), generator=self.random, device=self.device, dtype=torch.float64)
        root = self.crowd.state("root")  # (3, N): x, z, heading
        at = torch.stack([20 * draw[:, 0] - 10, 20 * draw[:, 1] - 10, 6.28 * draw[:, 2]])
        root.copy_(torch.where(which, at, root))
        self.crowd.state("hold").copy_(torch.where(which, -1, self.crowd.state("hold")))  # feet let go of the floor
        self.crowd.state("was").masked_fill_(which, torch.nan)
        self.goal = torch.where(which[:, None], 20 * draw[:, 3:5] - 10, self.goal)
        self.left = torch.where(which, EPISODE, self.left)
        return self.observe()

    def observe(self):
        """(N, 10): goal ahead and to the left, velocity, heading's sine and cosine, contacts, steps left."""
        root, velocity = self.crowd.state("root"), self.crowd.state("velocity")
        east, north = self.goal[:, 0] - root[0], self.goal[:, 1] - root[1]
        sine, cosine = torch.sin(root[2]), torch.cos(root[2])
        ahead, aside = cosine * north + sine * east, cosine * east - sine * north
        contacts = self.crowd.shown.contacts.any(dim=2).double()
        seen = [ahead, aside, *velocity, sine, cosine, *contacts.T, self.left / EPISODE]
        return torch.stack(seen, dim=1).float()

    def step(self, actions):
        """Observations, rewards (N,) and who is done (N,); the done begin anew."""
        kinds = self.numbers[actions[:, 0].long().clamp(0, 2)].int()
        pushed = torch.rand(self.count, generator=self.random, device=self.device) < 1 / SHOVE_EVERY
        draw = torch.rand((self.count, 2), generator=self.random, device=self.device)
        shove = torch.where(pushed[:, None], SHOVE_M_S * (2 * draw - 1), 0.0)
        self.crowd.step(DT, type=kinds, speed=actions[:, 1], turn=actions[:, 2], shove=shove)
        root = self.crowd.state("root")
        far = torch.hypot(self.goal[:, 0] - root[0], self.goal[:, 1] - root[1])
        self.left -= 1
        done = (far < 0.5) | (self.left <= 0)
        reward = torch.where(far < 0.5, 10.0, -0.01 * far).float()
        return self.reset(done), reward, done


def towards(seen):
    """A policy by hand: turn to the goal, run where it is far."""
    ahead, aside = seen[:, 0], seen[:, 1]
    angle, far = torch.rad2deg(torch.atan2(aside, ahead)), torch.hypot(ahead, aside)
    kind = torch.where(far > 6.0, 2.0, 1.0)
    return torch.stack([kind, torch.where(far > 6.0, 3.0, 1.3), (2 * angle).clamp(-80, 80)], dim=1)


if __name__ == "__main__":
    import sys

    given = sys.argv[1] if len(sys.argv) > 1 else ff.graph("builtin")
    walkers = Walkers(given, 2**16)
    seen, reached = walkers.reset(), 0
    begun = time.time()
    for _ in range(EPISODE):
        seen, reward, done = walkers.step(towards(seen))
        reached += int((reward > 0).sum())
    print(f"{walkers.count} characters, {EPISODE} steps in {time.time() - begun:.1f} s; goals reached: {reached}")
