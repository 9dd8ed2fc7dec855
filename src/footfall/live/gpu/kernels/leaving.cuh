// Leaving: whether this is a moment to take an edge, its beginning, and ways out at any moment (live/leaving.py).

RARE double forward_of(const World &w, int k, const float *weights, double start, double end) {
    double n = w.m_pieces[k], gone[3], more[3];
    if (start >= n) { start -= n; end -= n; }
    travel(w, k, weights, start / n, lo(end / n, 1.0), gone);
    if (end <= n) return gone[0];
    travel(w, k, weights, 0.0, (end - n) / n, more);
    return gone[0] + more[0];
}
// how much of the way of a stop is to be left out, so that the body ends over its feet
RARE double too_far(const Me &me, int e, double x) {
    double far = me.w.e_shared_before[e] - x, start = me.w.e_leave_at[e], blended = 0.0, own = 0.0, may = 0.0;
    ROLL for (int k = 0; k < PREDICTED; k++) {
        double a = x + far * k / PREDICTED, b = x + far * (k + 1) / PREDICTED;
        double gone = forward_of(me.w, me.motion(1), me.weights() + EXAMPLES, a, b);
        double share = 0.5 + 0.5 * cos(PI * (k + 0.5) / PREDICTED);
        double both = gone + share * (forward_of(me.w, me.motion(0), me.weights(), start + a, start + b) - gone);
        blended += both; own += gone; may += both * 4.0 * share * (1.0 - share);
    }
    if (own < 0.0) { blended = -blended; own = -own; may = -may; }  // it walks backward
    return within((blended - own) / hi(may, 1e-6), 0.0, MOST_HELD_BACK);
}
RARE void begin_edge(const Me &me, int e, double x) {
    const World &w = me.w;
    int k = w.e_motion[e];
    set_layer(me, 1, k, x / w.m_pieces[k]);
    ROLL for (int i = 0; i < w.s_begin[k]; i++) me.p(DIMS + i) = me.p(i);
    steer_at_once(me, 1);
    me.edge() = e; me.phase() = LEAVING; me.layers() = 2; me.share() = 1.0f;
    me.pace() = 1.0; me.progress() = 0.0; me.held_back() = 0.0; me.wake() = -1;
    me.length() = seconds_to(w, k, me.weights() + EXAMPLES, x, w.e_shared_before[e]);
    if (stands(w, w.e_after[e])) me.held_back() = too_far(me, e, x);
    me.begun_s() = me.time_s(); me.since_s() = me.asked_s(); me.half_s() = NAN;
    me.latency_s() = me.time_s() - me.asked_s();
}
RARE bool leave(const Me &me, int e) {
    const World &w = me.w;
    int k = me.motion(0), shared = w.e_shared_before[e];
    double x = 0.0;
    if (!stands(w, k)) {
        int pieces = w.m_pieces[k];
        double y = me.t(0) * pieces, start = w.e_leave_at[e];
        x = fmod(y - start, (double)pieces);
        if (x < 0.0) x += pieces;
        if (x >= shared) return false;
        double whole = seconds_to(w, k, me.weights(), start, start + shared);
        double rest = seconds_to(w, k, me.weights(), y, y + shared - x);
        if (rest < hi(SHORTEST_S, (stands(w, w.e_after[e]) ? STOP_SHORTEST : SHORTEST) * whole)) return false;
    }
    begin_edge(me, e, x);
    return true;
}
HD void turn_back(const Me &me) {
    if (me.phase() == LEAVING && me.pace() == 1.0) {
        double left = (1.0 - me.progress()) * me.length();
        if (left > BACK_IN_TIME * me.progress() * me.length() + BACK_SLACK_S) me.pace() = JUST_BELOW_ONE;
    }
}
HD void alone(const Me &me, int k, double t) {
    set_layer(me, 0, k, t);
    me.layers() = 1; me.share() = 1.0f; me.held_back() = 0.0; me.pace() = 1.0; me.wake() = -1;
}
// node k is all that plays, at what is asked for
RARE void into_node(const Me &me, int k) {
    double wish[DIMS];
    alone(me, k, 0.0);
    wished(me, k, wish);
    ROLL for (int i = 0; i < me.w.s_axes[k]; i++) me.p(i) = me.goal(i) = wish[i];
    weigh(me, 0);
}
// edge e is all that plays, as if it had been begun at the velocity that the character has
RARE void take_edge(const Me &me, int e, double t) {
    const World &w = me.w;
    int k = w.e_motion[e], before = w.e_before[e];
    alone(me, k, t);
    ROLL for (int i = 0; i < w.s_begin[k]; i++) {
        int source = w.s_source[before * DIMS + i];
        double value = source == SPEED ? me.velocity(0) : source == TURN ? me.velocity(2) * TO_DEGREES : me.velocity(1);
        me.p(i) = source >= 0 ? value : w.s_usual[before * DIMS + i];
    }
    steer_at_once(me, 0);
}
HD double rate_at(const Me &me, int k, double t) {
    int pieces = me.w.m_pieces[k];
    return blended_rate(me.w, me.weights(), k, lo(piece_of(t, pieces), pieces - 1));
}
// seconds from canonical time t of motion k in layer 0 to the end
HD double seconds_left(const Me &me, int k, double t, double end) {
    double pieces = me.w.m_pieces[k];
    return seconds_to(me.w, k, me.weights(), t * pieces, end * pieces);
}
// seconds in which the push that is believed of a body takes it to the velocity that edge k in layer 0 ends with
RARE double needed_s(const Me &me, int k) {
    double end[3];
    last_velocity(me.w, k, me.weights(), end);
    double ahead = end[0] - me.velocity(0), aside = end[1] - me.velocity(1);
    return sqrt(ahead * ahead + aside * aside) / BELIEVED_M_S2;
}
// how unlike, and when before the end, motion k in layer 0 is most like what `show` kept; all lanes get the answer.
// Velocities of all moments are found beside each other; moments that are more unlike than `most` for them need no pose.
// Every warp looks at some of the moments; of two that are as like the earlier is taken.
// haste: what every second counts for that is left to the end, beyond those it needs.
template <int L>
RARE double likest(const Me &me, Room &room, int k, double end, double most, double haste, double needs, int lane,
                   double &found) {
    const int in_warp = L < 32 ? L : 32, warps = L / in_warp, warp = lane / in_warp;
    double best = INFINITY, first = me.w.m_loops[k] ? 0.0 : STEP_S * rate_at(me, k, 0.0);  // before it there is no velocity
    double far = hi(end - first, 0.0);
    int at = TRIED;
    ROLL for (int m = lane; m < TRIED; m += L) {
        double t = first + far * m / TRIED, velocity[3], off = 0.0;
        layer_velocity(me, k, t, rate_at(me, k, t), me.weights(), velocity);
        for (int i = 0; i < 3; i++) off += (me.velocity(i) - velocity[i]) * (me.velocity(i) - velocity[i]);
        room.off[m] = VELOCITY_COST * off + (haste > 0.0 ? haste * hi(seconds_left(me, k, t, end) - needs, 0.0) : 0.0);
    }
    together<L>();
    ROLL for (int m = warp; m < TRIED; m += warps) {
        if (room.off[m] > lo(best, most)) continue;  // all lanes of a warp alike
        double t = first + far * m / TRIED, before = earlier(me.w, k, me.weights(), t, STEP_S), cost = 0.0;
        ROLL for (int j = lane % in_warp; j < JOINTS; j += in_warp) {
            float a[3], b[3];
            apart(sample_joint(me.w, k, t, me.weights(), j), room.shown[0][j], a);
            apart(sample_joint(me.w, k, before, me.weights(), j), room.shown[1][j], b);
            for (int i = 0; i < 3; i++) {
                double speed = RATE_S * (a[i] - b[i]) / STEP_S;
                cost += a[i] * a[i] + speed * speed;
            }
        }
        cost = sum_lanes<L>(cost) + room.off[m];
        if (cost < best) { best = cost; at = m; }
    }
    room.best[warp] = best;
    room.at[warp] = at;
    together<L>();
    ROLL for (int i = 0; i < warps; i++)
        if (room.best[i] < best || (room.best[i] == best && room.at[i] < at)) { best = room.best[i]; at = room.at[i]; }
    found = at < TRIED ? first + far * at / TRIED : 0.0;
    together<L>();
    return best;
}
// what was decided plays now; what it differs by from what was shown dies away
template <int L> HD void arrive(const Me &me, Room &room, int lane) {
    begin_offset<L>(me, room, lane);
    if (lane == 0) {
        carry_under(me);
        me.latency_s() = me.time_s() - me.asked_s();
    }
    together<L>();
}
// into node k at once, a loop with steps where it is most like the pose; what that differs by dies away
template <int L> HD void jump(const Me &me, Room &room, int k, int lane) {
    show<L>(me, room, lane);
    if (lane == 0) {
        int m = me.motion(0);
        if (me.t(0) >= 1.0 && !me.w.m_loops[m]) {  // it came to its end within a step, at its speed
            double velocity[3];
            layer_velocity(me, m, me.t(0), me.rate(0), me.weights(), velocity);
            for (int i = 0; i < 3; i++) me.velocity(i) = velocity[i];
        }
        into_node(me, k);
        me.phase() = NODE; me.edge() = -1; me.node() = k;
    }
    together<L>();
    double t = 0.0;
    if (me.w.m_loops[k] && !stands(me.w, k)) likest<L>(me, room, k, 1.0, INFINITY, 0.0, 0.0, lane, t);
    if (lane == 0) { me.t(0) = t; me.rate(0) = rate_at(me, k, t); }
    together<L>();
    arrive<L>(me, room, lane);
}
// towards node k at once: into whichever edge to it, or k itself, is most like pose and velocity now; most: how unlike it
// may be, beyond that the edge in whose middle it is goes on; haste: what a second counts for that an edge takes longer
// than a believed push would
template <int L> HD void hurry(const Me &me, Room &room, int k, double most, double haste, int lane) {
    const World &w = me.w;
    double best = INFINITY, at = 0.0, late = 0.0, t;
    int way = -1;
    show<L>(me, room, lane);
    if (lane == 0 && most < INFINITY) copy_layer(me, 0, 1);  // for take_layer to bring back
    together<L>();
    ROLL for (int i = w.d_into_first[k]; i < w.d_into_first[k + 1]; i++) {
        int e = haste > 0.0 ? w.d_quick[w.d_into[i]] : w.d_into[i], m = w.e_motion[e];  // as it is gone in a hurry
        if (lane == 0) take_edge(me, e, 0.0);
        together<L>();
        double end = 1.0 - w.e_shared_after[e] / (double)w.m_pieces[m];
        double needs = needed_s(me, m), cost = likest<L>(me, room, m, end, lo(best, most), haste, needs, lane, t);
        if (cost < best) { best = cost; way = e; at = t; late = haste * hi(seconds_left(me, m, t, end) - needs, 0.0); }
        together<L>();
    }
    best -= late;  // what is left of an edge counts against other edges, not against going straight into the node
    if (lane == 0) into_node(me, k);
    together<L>();
    double cost = likest<L>(me, room, k, 1.0, lo(best, most), 0.0, 0.0, lane, t);
    together<L>();
    if (lo(cost, best) > most) {
        if (lane == 0) take_layer(me);
        together<L>();
        return;
    }
    if (cost <= best) { way = -1; at = t; }
    together<L>();
    if (lane == 0) {
        if (way < 0) {
            me.t(0) = at; me.phase() = NODE; me.edge() = -1; me.node() = k;
        } else {
            take_edge(me, way, at);
            me.phase() = EDGE; me.edge() = way; me.node() = w.e_before[way];
            me.begun_s() = me.time_s(); me.since_s() = me.asked_s(); me.half_s() = NAN;
        }
        me.rate(0) = rate_at(me, me.motion(0), at);
    }
    together<L>();
    arrive<L>(me, room, lane);
}
