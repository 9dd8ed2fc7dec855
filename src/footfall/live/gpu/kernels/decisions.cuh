// Decisions: what a character's events and what it is told ask for now (live/decisions.py), from tables. What needs a
// pose (a change at once) is an Op, which a whole block carries out; then the stages go on.

enum { NOTHING = 0, JUMP = 1, JUMP_ON = 2, HURRY = 3, REROUTE = 4, DETOUR = 5 };  // JUMP_ON: look for an edge in the step after
struct Op { int kind, k; };

HD Op op(int kind, int k) { Op o = {kind, k}; return o; }

RARE Op try_to_leave(const Me &me, int want) {
    const World &w = me.w;
    int node = me.node();
    if (want == node || w.d_is_action[node]) { me.wake() = -1; return op(NOTHING, 0); }
    int goal = w.d_next_step[node * NODES + want], pair = node * NODES + goal;
    int first = w.d_way_first[pair], last = w.d_way_first[pair + 1];
    if (first == last) return op(JUMP, goal);
    if (stands(w, node)) {
        if (me.asked(TURN) > 0.0) first = last - 1;
        else last = first + 1;
    }
    ROLL for (int i = first; i < last; i++)
        if (leave(me, w.d_way[i])) return op(NOTHING, 0);
    int pieces = w.m_pieces[node];
    double y = me.t(0) * pieces, soonest = INFINITY;
    ROLL for (int i = first; i < last; i++) {
        int at = w.e_leave_at[w.d_way[i]];
        double until = fmod(at - y - 1e-9, (double)pieces);
        if (until < 0.0) until += pieces;
        if (until < soonest) { soonest = until; me.wake() = at; }
    }
    return op(NOTHING, 0);
}
// where a hurried character goes first: a node itself, or to a stand where it is too fast for that and for every motion
// from which an edge leads there
RARE int first_to(const Me &me, int k) {
    const World &w = me.w;
    if (k == HOME || w.d_into_first[HOME + 1] == w.d_into_first[HOME]) return k;
    const double *of = w.d_velocities + 4 * k;
    double wish[DIMS], v[2] = {me.velocity(0), me.velocity(1)};
    double wanted[2] = {0.5 * (of[0] + of[1]), 0.5 * (of[2] + of[3])};
    wished(me, k, wish);
    ROLL for (int i = 0; i < w.s_axes[k]; i++) {
        int source = w.s_source[k * DIMS + w.s_begin[k] + i];
        if (source == SPEED) wanted[0] = wish[i];
        if (source == SIDE) wanted[1] = wish[i];
    }
    double x = v[0] - wanted[0], y = v[1] - wanted[1];
    if (sqrt(x * x + y * y) <= MOST_LOST_M_S) return k;
    ROLL for (int i = w.d_into_first[k]; i < w.d_into_first[k + 1]; i++) {
        of = w.d_velocities + 4 * w.e_before[w.d_into[i]];
        x = v[0] - within(v[0], of[0], of[1]);
        y = v[1] - within(v[1], of[2], of[3]);
        if (sqrt(x * x + y * y) <= MOST_LOST_M_S) return k;
    }
    return HOME;
}
// whether a hurried character that brakes, since nothing else leads where it is to go, is slow enough for it
RARE bool has_braked(const Me &me, int want) {
    if (me.wake() != WHEN_SLOW || me.w.d_is_action[want] || me.w.e_after[me.edge()] == want) return false;
    return first_to(me, want) == want;
}
// whether a node stands, and an edge leads from there to a gait that is wanted
HD bool begins_from(const World &w, int node, int want) {
    int way = node * NODES + want;
    return stands(w, node) && !w.d_is_action[want] && w.d_way_first[way + 1] > w.d_way_first[way];
}
// whether a character has all but come to stand on its way to a gait that an edge leads to from there
HD bool has_stopped(const Me &me, int want) {
    return me.phase() == ENTERING && !isnan(me.half_s()) && begins_from(me.w, me.w.e_after[me.edge()], want);
}
RARE Op decide(const Me &me) {
    bool has_ended = me.event() & ENDED;
    me.event() = 0;
    int want = me.act() >= 0 ? me.act() : me.type();
    me.want() = want;
    if (has_ended) {
        int goal = me.w.d_next_step[me.node() * NODES + want];
        return begins_from(me.w, goal, want) ? op(HURRY, first_to(me, want)) : op(JUMP_ON, goal);
    }
    if (me.phase() == NODE) return try_to_leave(me, want);
    if (me.phase() == LEAVING && want == me.node()) turn_back(me);
    if ((me.phase() == EDGE || me.phase() == ENTERING) && has_braked(me, want)) return op(HURRY, want);
    if (has_stopped(me, want)) return op(HURRY, first_to(me, want));
    if (me.phase() == EDGE && !me.w.d_is_action[want]) {
        int k = first_to(me, want), leads = me.w.e_after[me.edge()];
        bool on_the_way = me.w.d_next_step[leads * NODES + want] == want;
        if (leads != k && leads != want) return op(on_the_way ? REROUTE : DETOUR, k);
    }
    return op(NOTHING, 0);
}
RARE Op request(const Me &me, int k, bool urgent) {
    if (me.w.d_is_action[k]) {
        if (me.act() < 0 || urgent) me.asked_s() = me.time_s();
        me.act() = k;
        return urgent ? op(JUMP, k) : decide(me);
    }
    if (k != me.type()) { me.type() = k; me.asked_s() = me.time_s(); }
    if (!urgent || (k == me.node() && me.edge() < 0)) return decide(me);
    me.act() = -1; me.want() = k; me.event() = 0;
    return op(HURRY, first_to(me, k));
}
HD Op shove(const Me &me, double forward, double left) {
    double before = sqrt(me.velocity(0) * me.velocity(0) + me.velocity(1) * me.velocity(1));
    me.velocity(0) += forward; me.velocity(1) += left;
    double after = sqrt(me.velocity(0) * me.velocity(0) + me.velocity(1) * me.velocity(1));
    double most = hi(hi(FASTEST_GAIT_M_S, before), sqrt(forward * forward + left * left)), kept = lo(most / hi(after, 1e-9), 1.0);
    me.velocity(0) *= kept; me.velocity(1) *= kept;
    me.asked_s() = me.time_s();
    int want = me.want();
    me.event() = 0;
    return op(HURRY, first_to(me, me.w.d_is_action[want] ? me.type() : want));
}
// the stages of a step's decisions from `stage` on: the first that needs a pose, with its op; DECIDED where none does
enum { REQUEST = 0, SHOVE = 1, FLAGGED = 2, DECIDED = 3 };

RARE int run_stages(const Me &me, int stage, bool flagged, Op &o) {
    const World &w = me.w;
    int n = me.n;
    o = op(NOTHING, 0);
    if (stage <= REQUEST) {
        int k = w.c_type[n];
        bool urgent = w.c_urgent[n];
        w.c_type[n] = -1; w.c_urgent[n] = 0;
        if (k >= 0 && k < NODES && (k != me.type() || urgent)) o = request(me, k, urgent);
        if (o.kind) return REQUEST;
    }
    if (stage <= SHOVE) {
        float forward = w.c_shove[n], left = w.c_shove[w.n + n];
        if (forward != 0.0f || left != 0.0f) {
            w.c_shove[n] = 0.0f; w.c_shove[w.n + n] = 0.0f;
            o = shove(me, forward, left);
            return SHOVE;
        }
    }
    if (stage <= FLAGGED && flagged) o = decide(me);
    return o.kind ? FLAGGED : DECIDED;
}
// what is asked for is taken, what was flagged noted; those with something to decide are listed, and those on an edge
enum { PLAIN = 0, ON_EDGE = 1, TO_DECIDE = 2 };

HD void hear_one(const World &w, int n) {
    Me me = {w, n};
    UNROLL for (int i = 0; i < 3; i++) {
        float asked = w.c_asked[(size_t)i * w.n + n];
        if (asked == asked) { me.asked(i) = asked; w.c_asked[(size_t)i * w.n + n] = NAN; }
    }
    int event = me.event(), k = w.c_type[n];
    if (event) me.event() = (event & ARRIVED ? event | WAKE : event) & (ENDED | WAKE);
    if (k >= 0 && k == me.type() && !w.c_urgent[n]) { w.c_type[n] = -1; k = -1; }
    bool pushed = w.c_shove[n] != 0.0f || w.c_shove[w.n + n] != 0.0f;
    int kind = event || pushed || k >= 0 ? TO_DECIDE : me.phase() != NODE ? ON_EDGE : PLAIN;
    w.l_kind[n] = kind;
    if (kind == TO_DECIDE) {
        Told item = {n, event != 0};
        w.l_told[claim(w.l_told_count)] = item;
    } else if (kind == ON_EDGE) {
        w.l_edge[claim(w.l_edge_count)] = n;
    }
}
HD void decide_one(const World &w, Told item) {
    Me me = {w, item.n};
    Op o;
    int stage = run_stages(me, REQUEST, item.flagged, o);
    if (stage != DECIDED) {
        Heavy heavy = {item.n, stage, o.kind, o.k, item.flagged};
        w.l_heavy[claim(w.l_heavy_count)] = heavy;
    }
}
template <int L> HD void decide_heavy(const World &w, Heavy item, Room &room, int lane) {
    Me me = {w, item.n};
    int stage = item.stage, kind = item.kind, k = item.k;
    while (stage != DECIDED) {
        if (lane == 0 && kind < HURRY && me.act() == k) { me.act() = -1; me.want() = me.type(); }
        together<L>();
        if (kind == HURRY) hurry<L>(me, room, k, INFINITY, HASTE_COST, lane);
        else if (kind == REROUTE) hurry<L>(me, room, k, REROUTE_UNLIKE, 0.0, lane);
        else if (kind == DETOUR) hurry<L>(me, room, k, DETOUR_UNLIKE, 0.0, lane);
        else jump<L>(me, room, k, lane);
        if (lane == 0) {
            Op o;
            if (kind == JUMP_ON) me.event() = WAKE;
            if (kind >= HURRY && me.phase() == NODE && me.want() != k) me.event() |= WAKE;
            if (kind == HURRY && me.phase() == EDGE && me.type() != k) me.wake() = WHEN_SLOW;
            stage = run_stages(me, stage + 1, item.flagged, o);
            kind = o.kind; k = o.k;
        }
        stage = from_first<L>(stage); kind = from_first<L>(kind); k = from_first<L>(k);
    }
}
