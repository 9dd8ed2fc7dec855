// Inertialization: what the pose differs by from what plays dies away (live/inertia.py, joins/methods/inertialize.py).
// L lanes share the joints of one character.

HD float one_quintic(float x, float v, float length, float t, float most) {
    if (t < 0.0f) return x + v * t;
    bool closing = v < -1e-9f;
    float soon = closing ? 5.0f * x / -v : length;
    float end = lo(hi(soon, hi(8.0f * fabsf(v) / most, (float)SOONEST_S)), length);
    float a = closing ? hi(0.0f, (-8.0f * v * end - 20.0f * x) / (end * end)) : -8.0f * v / end;
    a = lo(hi(a, -most), most);
    float s = lo(t / end, 1.0f), ae = a * end * end, ve = v * end;
    float c5 = -0.5f * (ae + 6.0f * ve + 12.0f * x), c4 = 0.5f * (3.0f * ae + 16.0f * ve + 30.0f * x);
    float c3 = -0.5f * (3.0f * ae + 12.0f * ve + 20.0f * x);
    return x + s * (ve + s * (0.5f * ae + s * (c3 + s * (c4 + s * c5))));
}
HD void quintic_of(const float *x0, const float *v0, float length, float t, float most, float out[3]) {
    float size = sqrtf(x0[0] * x0[0] + x0[1] * x0[1] + x0[2] * x0[2]), by = 1.0f / hi(size, 1e-12f);
    float along[3] = {x0[0] * by, x0[1] * by, x0[2] * by};
    float speed = v0[0] * along[0] + v0[1] * along[1] + v0[2] * along[2];
    float across[3] = {v0[0] - speed * along[0], v0[1] - speed * along[1], v0[2] - speed * along[2]};
    float sideways = sqrtf(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
    float there = one_quintic(size, speed, length, t, most);
    float aside = one_quintic(0.0f, sideways, length, t, most) / hi(sideways, 1e-12f);
    for (int i = 0; i < 3; i++) out[i] = there * along[i] + aside * across[i];
}
// whether a joint is a hip, knee or ankle: those of a leg take their offsets together
HD bool in_leg(int j) {
    bool found = false;
    if (HAS_LEGS) UNROLL for (int i = 0; i < 6; i++) found = found || j == leg_joint(i / 3, i % 3);
    return found;
}
struct LegTurns { Turn hip, knee, ankle; };
HD LegTurns leg_turns(int side, const Turn *q) {
    LegTurns leg = {q[leg_joint(side, 0)], q[leg_joint(side, 1)], q[leg_joint(side, 2)]};
    return leg;
}
HD Vec offset_at(int j) { return vec(offset_x(j), offset_y(j), offset_z(j)); }
HD Quat quat_of(Turn q) { return quat(q.w, q.x, q.y, q.z); }
HD Vec hinge_of(const Me &me, int side) { return vec(me.hinge(3 * side), me.hinge(3 * side + 1), me.hinge(3 * side + 2)); }
// radians that the knee of a side is bent by its rotation, and the axis about which, in its own frame
HD double knee_bend(int side, Turn q, Vec &axis) {
    Vec thigh = offset_at(leg_joint(side, 1)), shin = rotate(quat_of(q), offset_at(leg_joint(side, 2)));
    Vec out = cross(thigh, shin);
    axis = rotate(conjugate(quat_of(q)), scaled(out, 1 / hi(size_of(out), (FEET)1e-12)));
    return atan2((double)size_of(out), (double)dot(thigh, shin));
}
HD double signed_bend(int side, Turn q, Vec hinge) {
    Vec axis;
    double bend = knee_bend(side, q, axis);
    return dot(axis, hinge) >= 0 ? bend : -bend;
}
// how far a knee is from straight: as far as it is bent, and farther and farther behind where it is hardly bent
HD double slack_of(double bend) {
    double b = hi(bend, KNEE_LEAST_RAD);
    return b - 0.25 * KNEE_ROUND_RAD * KNEE_ROUND_RAD / b;
}
// a knee's bend with an offset of its slack, and the offset that makes one bend the other
HD double straightened(double bend, double slack) {
    if (slack >= 0.0) return bend + slack;
    double left = slack_of(bend) + slack;
    return bend - hi(bend, KNEE_LEAST_RAD) + 0.5 * (left + sqrt(left * left + KNEE_ROUND_RAD * KNEE_ROUND_RAD));
}
HD double slack_between(double bend, double other) {
    return other >= bend ? other - bend : slack_of(other) - slack_of(bend);
}
HD void turn_about(Turn &q, Vec axis, double angle) {
    double c = cos(0.5 * angle), s = sin(0.5 * angle);
    q = times(q, (float)c, (float)(s * axis.x), (float)(s * axis.y), (float)(s * axis.z));
}
// the knee of a leg bent otherwise: its ankle stays where it was as seen from the hip, but for how far, and so its foot
RARE void bend_leg(int side, LegTurns &leg, Vec hinge, double bend, double to) {
    if (to == bend) return;
    double a = size_of(offset_at(leg_joint(side, 1))), b = size_of(offset_at(leg_joint(side, 2)));
    double lean = atan2(b * sin(to), a + b * cos(to)) - atan2(b * sin(bend), a + b * cos(bend));
    Vec over = rotate(quat_of(leg.knee), hinge), under = rotate(conjugate(quat_of(leg.ankle)), hinge);
    turn_about(leg.hip, over, -lean);
    turn_about(leg.knee, hinge, to - bend);
    turn_about(leg.ankle, under, lean - to + bend);
}
// joint j (JP: the root's sway) of a pose with what is left of the offset at an age
HD Turn with_offset(const Me &me, float age, int j, Turn q) {
    int at = 3 * (j < JP ? j : JOINTS);
    float v[3];
    if (j >= JOINTS && j < JP) return q;
    quintic_of(me.turn() + at, me.spin() + at, offset_s(me, at / 3), age, j < JP ? (float)MOST_RAD_S2 : (float)MOST_M_S2, v);
    if (j == JP) return turn_of(0.0f, q.x + v[0], q.y + v[1], q.z + v[2]);
    float s = 0.25f * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), k = 0.5f * sinc(s);
    return times(q, cosine(s), k * v[0], k * v[1], k * v[2]);
}
// one leg of a pose q (JOINTS) with what is left of their offsets at an age
RARE void offset_leg(const Me &me, float age, int side, Turn *q) {
    LegTurns leg = leg_turns(side, q);
    float x[3] = {me.slack(2 * side), 0.0f, 0.0f}, v[3] = {me.slack(2 * side + 1), 0.0f, 0.0f}, slack[3];
    quintic_of(x, v, slack_s(me, side), age, (float)MOST_RAD_S2, slack);
    double bend = signed_bend(side, leg.knee, hinge_of(me, side));
    bend_leg(side, leg, hinge_of(me, side), bend, straightened(bend, slack[0]));
    q[leg_joint(side, 0)] = with_offset(me, age, leg_joint(side, 0), leg.hip);
    q[leg_joint(side, 1)] = with_offset(me, age, leg_joint(side, 1), leg.knee);
    q[leg_joint(side, 2)] = with_offset(me, age, leg_joint(side, 2), leg.ankle);
}
// pose as it is shown and the one STEP_S before it, kept for a change at once
enum { HEAVY_WARPS = 4 };  // that look for the moment of a change at once, each among some of them
struct Room { Turn shown[2][JP + 1]; double off[TRIED], best[HEAVY_WARPS]; int at[HEAVY_WARPS]; };

template <int L> RARE void show(const Me &me, Room &room, int lane) {
    ROLL for (int i = lane; i < 2 * (JP + 1); i += L) {
        int back = i > JP, j = i - back * (JP + 1);
        Turn q = shown_joint(me, back * STEP_S, j);
        if (me.age() >= 0.0f && !in_leg(j)) q = with_offset(me, (float)(me.age() - back * STEP_S), j, q);
        room.shown[back][j] = q;
    }
    together<L>();
    if (HAS_LEGS && me.age() >= 0.0f) {
        ROLL for (int i = lane; i < 4; i += L) offset_leg(me, (float)(me.age() - i / 2 * STEP_S), i % 2, room.shown[i / 2]);
        together<L>();
    }
}
RARE void layer_velocity(const Me &me, int k, double t, double rate, const float *weights, double out[3]) {
    int pieces = me.w.m_pieces[k], m = lo(piece_of(t, pieces), pieces - 1);  // beyond its key times the clock goes otherwise
    double step = lo(STEP_S * rate, 0.5), a = hi(t - step, (double)m / pieces), b = lo(t + step, (m + 1.0) / pieces);
    double per = rate / hi(b - a, 1e-9);
    travel(me.w, k, weights, a, b, out);
    for (int i = 0; i < 3; i++) out[i] *= per;
}
HD void apart(Turn a, Turn b, float out[3]) { half_way(a, b, 2.0f, out); }

// `was`, the offset STEP_S before `now`, becomes the rate, no faster than `most`
RARE void rate_of(const float *now, float *was, double most) {
    double size = sqrt((double)now[0] * now[0] + (double)now[1] * now[1] + (double)now[2] * now[2]), total = 0.0;
    if (size > 2.0 && now[0] * was[0] + now[1] * was[1] + now[2] * was[2] < 0.0f) {
        double long_way = sqrt((double)was[0] * was[0] + (double)was[1] * was[1] + (double)was[2] * was[2]);
        double round_way = 1.0 - 2.0 * PI / hi(long_way, 1e-6);
        for (int i = 0; i < 3; i++) was[i] = (float)(was[i] * round_way);
    }
    for (int i = 0; i < 3; i++) {
        was[i] = (float)((now[i] - was[i]) / STEP_S);
        total += was[i] * was[i];
    }
    double scale = lo(1.0, most / hi(sqrt(total), 1e-9));
    for (int i = 0; i < 3; i++) was[i] = (float)(was[i] * scale);
}
// offsets v[0] of joint j (JOINTS: the root) now and v[1] STEP_S before, kept as offset and rate
RARE void keep_offset(const Me &me, int j, float v[2][3]) {
    rate_of(v[0], v[1], j < JOINTS ? MOST_RAD_S : MOST_SPEED);
    for (int c = 0; c < 3; c++) { me.turn()[3 * j + c] = v[0][c]; me.spin()[3 * j + c] = v[1][c]; }
}
// what a knee as shown differs by in slack from what plays; what plays is left as bent as that makes it
RARE void begin_slack(const Me &me, int side, int back, LegTurns &plays, Turn shown) {
    if (back == 0) {
        Vec axis, other;
        if (knee_bend(side, plays.knee, axis) < knee_bend(side, shown, other)) axis = other;
        for (int i = 0; i < 3; i++) me.hinge(3 * side + i) = (float)part_of(axis, i);
    }
    Vec hinge = hinge_of(me, side);
    double bend = signed_bend(side, plays.knee, hinge), other = signed_bend(side, shown, hinge), by = slack_between(bend, other);
    float &slack = me.slack(2 * side), &rate = me.slack(2 * side + 1);
    double own = (rate - (other - bend)) / STEP_S;
    if (back == 0) { slack = (float)by; rate = (float)(other - bend); }
    else rate = (float)lo(hi((slack - by) / STEP_S, lo(own, -KNEE_RAD_S)), hi(own, KNEE_RAD_S));
    bend_leg(side, plays, hinge, bend, straightened(bend, by));
}
RARE void begin_leg(const Me &me, const Room &room, int side) {
    float hip[2][3], knee[2][3], ankle[2][3];
    ROLL for (int back = 0; back < 2; back++) {
        LegTurns shown = leg_turns(side, room.shown[back]), plays;
        plays.hip = shown_joint(me, back * STEP_S, leg_joint(side, 0));
        plays.knee = shown_joint(me, back * STEP_S, leg_joint(side, 1));
        plays.ankle = shown_joint(me, back * STEP_S, leg_joint(side, 2));
        begin_slack(me, side, back, plays, shown.knee);
        apart(plays.hip, shown.hip, hip[back]);
        apart(plays.knee, shown.knee, knee[back]);
        apart(plays.ankle, shown.ankle, ankle[back]);
    }
    keep_offset(me, leg_joint(side, 0), hip);
    keep_offset(me, leg_joint(side, 1), knee);
    keep_offset(me, leg_joint(side, 2), ankle);
}
template <int L> RARE void begin_offset(const Me &me, Room &room, int lane) {
    ROLL for (int i = lane; i <= JOINTS; i += L) {
        int j = i < JOINTS ? i : JP;
        float v[2][3];
        if (in_leg(j)) continue;
        for (int back = 0; back < 2; back++) {
            Turn q = shown_joint(me, back * STEP_S, j), kept = room.shown[back][j];
            if (j < JP) apart(q, kept, v[back]);
            else { v[back][0] = kept.x - q.x; v[back][1] = kept.y - q.y; v[back][2] = kept.z - q.z; }
        }
        keep_offset(me, i, v);
    }
    if (HAS_LEGS) ROLL for (int side = lane; side < 2; side += L) begin_leg(me, room, side);
    together<L>();
    if (lane == 0) {
        double velocity[3];
        layer_velocity(me, me.motion(0), me.t(0), me.rate(0), me.weights(), velocity);
        for (int i = 0; i < 3; i++) me.lost(i) = (float)(me.velocity(i) - velocity[i]);
        double lost = sqrt((double)me.lost(0) * me.lost(0) + (double)me.lost(1) * me.lost(1));
        me.age() = 0.0f;
        me.fade_s() = (float)hi(FADE_S, EASE_PEAK * lost / MOST_BRAKE_M_S2);
    }
    together<L>();
}
// the carrier goes under the body, by what the root's place differs: between steps only
HD void carry_under(const Me &me) {
    float *off = me.turn() + 3 * JOINTS;
    double c = cos(me.root(2)), s = sin(me.root(2));
    me.root(0) += c * off[0] + s * off[2];
    me.root(1) += c * off[2] - s * off[0];
    off[0] = off[2] = 0.0f;
}
