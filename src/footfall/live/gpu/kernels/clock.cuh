// Clock of live characters, along the arc of the carrier and through the graph (live/clock.py). A blend that was turned
// round too late needs its pose, which one thread does not sample: it is put off (`Late`), and `late.cuh` goes on.

RARE void set_layer(const Me &me, int v, int k, double t) {
    me.motion(v) = k; me.t(v) = t; me.laps(v) = 0;
    ROLL for (int i = 0; i < DIMS; i++) {
        me.p(v * DIMS + i) = me.goal(v * DIMS + i) = me.w.s_usual[k * DIMS + i];
        me.p_rate(v * DIMS + i) = 0.0;
    }
}
RARE void copy_layer(const Me &me, int a, int b) {
    me.motion(b) = me.motion(a); me.t(b) = me.t(a); me.rate(b) = me.rate(a); me.laps(b) = me.laps(a);
    float *weights = me.weights();
    ROLL for (int e = 0; e < EXAMPLES; e++) weights[b * EXAMPLES + e] = weights[a * EXAMPLES + e];
    ROLL for (int i = 0; i < DIMS; i++) {
        int to = b * DIMS + i, from = a * DIMS + i;
        me.p(to) = me.p(from); me.p_rate(to) = me.p_rate(from); me.goal(to) = me.goal(from);
    }
}
RARE void take_layer(const Me &me) {
    copy_layer(me, 1, 0);
    me.layers() = 1; me.share() = 1.0f;
}
HD void stay(const Me &me) {
    me.layers() = 1; me.share() = 1.0f; me.phase() = NODE; me.edge() = -1;
    me.held_back() = 0.0; me.pace() = 1.0;
}
RARE void arrive(const Me &me) {
    take_layer(me);
    me.node() = me.w.e_after[me.edge()]; me.came() = me.edge();
    me.edge() = -1; me.phase() = NODE; me.held_back() = 0.0;
    me.event() |= ARRIVED;
}
RARE double seconds_to(const World &w, int k, const float *weights, double y, double end) {
    double total = 0.0;
    int pieces = w.m_pieces[k];
    while (y < end - TOGETHER) {
        int m = (int)(y + TOGETHER);
        double stop = lo(m + 1.0, end), rate = blended_rate(w, weights, k, m % pieces);
        total += (stop - y) / (rate * pieces);
        y = stop;
    }
    return total;
}
// forward and left m/s and turn °/s of the carrier over the end of a motion's last stretch
RARE void last_velocity(const World &w, int k, const float *weights, double out[3]) {
    int pieces = w.m_pieces[k], m = pieces - 1;
    double rate = blended_rate(w, weights, k, m) * pieces;
    travel(w, k, weights, (m + 0.5) / pieces, 1.0, out);
    for (int i = 0; i < 3; i++) out[i] *= 2.0 * rate;
    out[2] *= TO_DEGREES;
}
// the edge's last steps begin: the node it enters plays in layer 1, as fast and turning as the edge arrives
RARE void enter(const Me &me) {
    const World &w = me.w;
    int e = me.edge(), k = w.e_motion[e], after = w.e_after[e];
    double velocity[3], wish[DIMS];
    last_velocity(w, k, me.weights(), velocity);
    set_layer(me, 1, after, w.e_enter_at[e] / (double)w.m_pieces[after]);
    aim(me, 1);
    ROLL for (int i = 0; i < w.s_axes[after]; i++) {
        int source = w.s_source[after * DIMS + i];
        wish[i] = source < 0 ? me.goal(DIMS + i) : velocity[source == SPEED ? 0 : source == TURN ? 2 : 1];
    }
    if (w.s_kind[after] != OUTSIDE) cover(w, after, wish);
    ROLL for (int i = 0; i < w.s_axes[after]; i++) me.p(DIMS + i) = wish[i];
    weigh(me, 1);
    me.layers() = 2; me.phase() = ENTERING; me.share() = 1.0f; me.pace() = 1.0;
    me.progress() = 0.0; me.half_s() = NAN;
}
HD void blend_on(const Me &me, int v, double far) {
    const World &w = me.w;
    int e = me.edge(), k = w.e_motion[e];
    double seconds = far / (me.rate(v) * w.m_pieces[k]);
    if (v == 1 && me.pace() < 1.0) {
        double goal = me.want() == w.e_before[e] ? -1.0 : 1.0;
        me.pace() += (goal - me.pace()) * (1.0 - exp(-seconds / PACE_S));
        me.progress() += me.pace() * seconds / hi(me.length(), 1e-9);
    } else {
        double end = v == 1 ? w.e_shared_before[e] : w.m_pieces[k];
        double rest = seconds_to(w, k, me.weights() + v * EXAMPLES, me.t(v) * w.m_pieces[k], end);
        me.progress() += (1.0 - me.progress()) * seconds / hi(seconds + rest, 1e-12);
    }
    me.share() = (float)(0.5 + 0.5 * cos(PI * within(me.progress(), 0.0, 1.0)));
}
// what of B, the edge or E is over after `far` key times, and what begins; true: turned round too late
HD bool follow_edge(const Me &me, double far) {
    const World &w = me.w;
    int e = me.edge(), phase = me.phase(), k = w.e_motion[e], v = phase == LEAVING ? 1 : 0;
    double end = w.m_pieces[k] - w.e_shared_after[e];
    if (phase == EDGE) {
        if (me.t(0) * w.m_pieces[k] >= end - TOGETHER) enter(me);
        return false;
    }
    blend_on(me, v, far);
    double y = me.t(v) * w.m_pieces[k];
    if (phase == ENTERING) {
        if (me.progress() >= 0.5 && isnan(me.half_s())) {
            me.half_s() = me.time_s();
            if (me.want() != w.e_after[e]) me.event() |= WAKE;  // who only passes through standing need not come to rest
        }
        if (me.t(0) >= 1.0) arrive(me);
    } else if (me.pace() < 0.0 && me.progress() <= 0.0) {
        stay(me);
    } else if (y >= w.e_shared_before[e] - TOGETHER) {
        if (me.pace() < 1.0 && me.progress() < DONE) return true;
        take_layer(me);
        me.phase() = EDGE;
        if (y >= end - TOGETHER) enter(me);
        else if (me.want() != w.e_after[e]) me.event() |= WAKE;  // something else was asked for since
    }
    return false;
}
RARE void move_root(const Me &me, double forward, double aside, double turn) {
    double half = 0.5 * turn, heading = me.root(2), c, s;
    sincos(heading + half, &s, &c);
    double ratio = fabs(half) > 1e-6 ? sin(half) / half : 1.0 - half * half / 6.0;
    me.root(0) += ratio * (s * forward + c * aside);
    me.root(1) += ratio * (c * forward - s * aside);
    me.root(2) = heading + turn;
}
// all layers on by `far` key times, one without steps by `used` seconds; what the carrier goes, blended
HD void go_on(const Me &me, double far, double used, double border, bool crosses, double gone[3]) {
    const World &w = me.w;
    int layers = me.layers();
    double share = me.share();
    gone[0] = gone[1] = gone[2] = 0.0;
    ROLL for (int v = 0; v < layers; v++) {
        int k = me.motion(v), pieces = w.m_pieces[k];
        double t = me.t(v), s = layers == 1 ? 1.0 : v == 0 ? share : 1.0 - share, way[3];
        if (t >= 1.0) continue;
        if (layers == 2 && stands(w, k) && !stands(w, me.motion(1 - v))) {
            double end = t + used * me.rate(v);
            me.laps(v) += (int)end;
            me.t(v) = end - floor(end);
            continue;
        }
        if (layers == 2 && me.phase() == ENTERING && v == 0 && stands(w, me.motion(1))) s = 1.0;
        int m = lo(piece_of(t, pieces), pieces - 1);
        bool meets = crosses && m + 1 - t * pieces <= border + TOGETHER;
        double end = meets ? (m + 1) / (double)pieces : t + far / pieces;
        const float *weights = me.weights() + v * EXAMPLES;
        travel(w, k, weights, t, end, way);
        for (int i = 0; i < 3; i++) gone[i] += s * way[i];
        me.t(v) = end;
    }
}
// to the end of the step, or to the first key time on the way; returns the time that is left
HD double stretch(const Me &me, double left, bool &late) {
    const World &w = me.w;
    int layers = me.layers(), phase = me.phase(), steps = 0;
    double share = me.share(), speed = 0.0, border = INFINITY, gone[3];
    ROLL for (int v = 0; v < layers; v++)
        if (me.t(v) >= 1.0 && w.m_loops[me.motion(v)]) { me.t(v) = 0.0; me.laps(v) += 1; }
    ROLL for (int v = 0; v < layers; v++) {
        int k = me.motion(v), pieces = w.m_pieces[k];
        double t = me.t(v);
        int m = lo(piece_of(t, pieces), pieces - 1);
        double rate = blended_rate(w, me.weights() + v * EXAMPLES, k, m);
        me.rate(v) = rate;
        if (layers == 1 || !(stands(w, k) && !stands(w, me.motion(1 - v)))) {
            speed += (layers == 1 ? 1.0 : v == 0 ? share : 1.0 - share) * rate * pieces;
            steps++;
            if (t < 1.0) border = lo(border, m + 1 - t * pieces);
        }
    }
    if (steps == 1 && layers == 2) {
        int v = stands(w, me.motion(0)) ? 1 : 0;
        speed = me.rate(v) * w.m_pieces[me.motion(v)];
    }
    if (border == INFINITY) return 0.0;
    double far = left * speed;
    bool crosses = !(far < border - REACHED);
    if (crosses) far = border;
    double used = far / speed;
    go_on(me, far, used, border, crosses, gone);
    double keep = 1.0;
    if (phase == LEAVING && me.held_back() > 0.0) keep = 1.0 - me.held_back() * 4.0 * share * (1.0 - share);
    move_root(me, keep * gone[0], keep * gone[1], keep * gone[2]);
    if (phase != NODE) {
        late = follow_edge(me, far);
    } else if (layers == 1 && me.t(0) >= 1.0 && !w.m_loops[me.motion(0)]) {
        me.event() |= ENDED;
        return 0.0;
    } else if (me.wake() >= 0 && crosses) {
        int pieces = w.m_pieces[me.motion(0)];
        if (piece_of(me.t(0), pieces) % pieces == me.wake()) me.event() |= WAKE;
    }
    return crosses ? left - used : 0.0;
}
// one step of the clock from `left` seconds before its end; true: it waits for a pose, with what is left in `left`
HD bool advance(const Me &me, double &left) {
    ROLL for (int i = 0; i < MOST_STRETCHES; i++) {
        bool late = false;
        left = stretch(me, left, late);
        if (late) return true;
        if (!(left > 0.0)) break;
    }
    return false;
}
// seconds in which an offset of so many radians dies away: far ones take longer
HD float fade_of(const Me &me) {
    float length = me.fade_s();
    return me.lost(0) * me.lost(0) + me.lost(1) * me.lost(1) > (float)(SLOW_M_S * SLOW_M_S) ? lo(length, (float)FADE_S) : length;
}
HD float longer(float length, double far) { return (float)hi((double)length, EASE_PEAK * far / FASTEST_RAD_S); }
// of joint j, or of the root (JOINTS)
HD float offset_s(const Me &me, int j) {
    if (j == JOINTS) return fade_of(me);
    const float *turn = me.turn() + 3 * j;
    return longer(fade_of(me), sqrt((double)turn[0] * turn[0] + (double)turn[1] * turn[1] + (double)turn[2] * turn[2]));
}
HD float slack_s(const Me &me, int side) { return longer(fade_of(me), fabs((double)me.slack(2 * side))); }
// what a velocity that dies away still moves, the velocity over the step, and the time; from where the step began
HD void finish_clock(const Me &me, const Step &s, double x, double z, double heading) {
    if (me.age() >= 0.0f) {
        float length = me.fade_s();
        double u = lo((me.age() + 0.5 * s.dt) / length, 1.0);
        double rest = s.dt * (1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u));
        move_root(me, rest * me.lost(0), rest * me.lost(1), rest * me.lost(2));
        float age = (float)(me.age() + s.dt);
        ROLL for (int j = 0; j < JOINTS; j++) length = hi(length, offset_s(me, j));
        for (int side = 0; side < 2; side++) length = hi(length, slack_s(me, side));
        me.age() = age >= length ? -1.0f : age;
    }
    me.time_s() += s.dt;
    if (s.dt > 0.0) {
        double turn = me.root(2) - heading, middle = heading + 0.5 * turn, c, sn;
        sincos(middle, &sn, &c);
        double ahead = me.root(1) - z, aside = me.root(0) - x;
        me.velocity(0) = (c * ahead + sn * aside) / s.dt;
        me.velocity(1) = (c * aside - sn * ahead) / s.dt;
        me.velocity(2) = turn / s.dt;
    }
    if (me.wake() == WHEN_SLOW && me.phase() != NODE && !(me.age() >= 0.0f && me.age() < me.fade_s()))
        if (me.velocity(0) * me.velocity(0) + me.velocity(1) * me.velocity(1) < MOST_LOST_M_S * MOST_LOST_M_S)
            me.event() |= WAKE;
    // a motion that is done once is left before its end: what is after that in a step would be lost
    int k = me.motion(0), last = me.w.m_pieces[k] - 1;
    if (me.phase() == NODE && !me.w.m_loops[k] && piece_of(me.t(0), last + 1) >= last)
        if (me.t(0) + s.dt * blended_rate(me.w, me.weights(), k, last) >= 1.0) me.event() |= ENDED;
    if (fabs(me.root(2)) > FAR_ROUND) me.root(2) -= 2.0 * PI * rint(me.root(2) / (2.0 * PI));
}
