// Wandering: to goals of its own, or round points that are given, as `live.crowd` does, but without a look at others.
// Random numbers are a hash of seed, character and how many goals it has reached, so they need no state.

HD float drawn(unsigned seed, unsigned n, unsigned k) {
    unsigned x = seed * 0x9e3779b9u ^ n * 0x85ebca6bu ^ k * 0xc2b2ae35u;
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return (x >> 8) * (1.0f / 16777216.0f);
}
HD void new_goal(const World &w, const Wander &a, int n) {
    int k = w.g_reached[n];
    if (a.goals) {
        w.g_goal[n] = w.g_points[2 * ((n + k) % a.goals)];
        w.g_goal[w.n + n] = w.g_points[2 * ((n + k) % a.goals) + 1];
    } else {
        w.g_goal[n] = a.side_m * (drawn(a.seed, n, 4 * k) - 0.5);
        w.g_goal[w.n + n] = a.side_m * (drawn(a.seed, n, 4 * k + 1) - 0.5);
    }
}
HD void wander_one(const World &w, int n, const Wander &a) {
    Me me = {w, n};
    if (w.g_reached[n] < 0) {  // the first time
        w.g_reached[n] = 0;
        w.g_pause[n] = drawn(a.seed, n, 2);
        new_goal(w, a, n);
    }
    double dx = w.g_goal[n] - me.root(0), dz = w.g_goal[w.n + n] - me.root(1), s, c;
    if (dx * dx + dz * dz < NEAR_M * NEAR_M && w.g_pause[n] <= 0.0f) {
        int k = ++w.g_reached[n];
        w.g_pause[n] = a.pause_low + (a.pause_high - a.pause_low) * drawn(a.seed, n, 4 * k + 2);
        new_goal(w, a, n);
    }
    w.g_pause[n] = hi(w.g_pause[n] - (float)a.dt, 0.0f);
    sincos(me.root(2), &s, &c);
    double ahead = c * dz + s * dx, left = c * dx - s * dz;
    w.c_asked[w.n + n] = (float)within(TURN_RATE * TO_DEGREES * atan2(left, ahead), -MOST_TURN, MOST_TURN);
    w.c_asked[n] = lo(hi(a.slow + (a.fast - a.slow) * drawn(a.seed, n, 3), a.low), a.high);
    w.c_type[n] = w.g_pause[n] > 0.0f ? a.home : a.walk;
}
