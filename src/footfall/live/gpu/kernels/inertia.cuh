// Inertialization: what the pose differs by from what plays dies away (live/inertia.py, joins/methods/inertialize.py).
// L lanes share the joints of one character.

HD float one_quintic(float x, float v, float length, float t, float most) {
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
// which knee a joint is: 0 left, 1 right, -1 none
HD int knee_of(int j) { return !HAS_LEGS ? -1 : j == leg_joint(0, 1) ? 0 : j == leg_joint(1, 1) ? 1 : -1; }
HD Vec offset_at(int j) { return vec(offset_x(j), offset_y(j), offset_z(j)); }
// radians that the knee of a side is bent by its rotation
HD double knee_bend(int side, Turn q) {
    Vec thigh = offset_at(leg_joint(side, 1)), shin = rotate(quat(q.w, q.x, q.y, q.z), offset_at(leg_joint(side, 2)));
    return atan2((double)size_of(cross(thigh, shin)), (double)dot(thigh, shin));
}
// how much is kept of a knee's offset that straightens it, where what plays bends it by so much
HD double kept_of_knee(double bend, const float *v, double soft) {
    double size = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
    if (size * (1.0 + soft) <= bend) return 1.0;
    double x = bend / size, over = x - 1.0 + soft;
    return x <= 1.0 - soft ? x : x - 0.25 * over * over / soft;
}
// joint j (JP: the root's sway) of a pose with what is left of the offset at an age
HD Turn with_offset(const Me &me, float age, int j, Turn q) {
    int at = 3 * (j < JP ? j : JOINTS);
    float v[3];
    if (j >= JOINTS && j < JP) return q;
    quintic_of(me.turn() + at, me.spin() + at, offset_s(me, at / 3), age, j < JP ? (float)MOST_RAD_S2 : (float)MOST_M_S2, v);
    if (j == JP) return turn_of(0.0f, q.x + v[0], q.y + v[1], q.z + v[2]);
    int knee = knee_of(j);
    if (knee >= 0 && me.soft(knee) > 0.0f) {
        float kept = (float)kept_of_knee(knee_bend(knee, q), v, me.soft(knee));
        for (int i = 0; i < 3; i++) v[i] *= kept;
    }
    float s = 0.25f * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), k = 0.5f * sinc(s);
    return times(q, cosine(s), k * v[0], k * v[1], k * v[2]);
}
// pose as it is shown and the one STEP_S before it, kept for a change at once
enum { HEAVY_WARPS = 4 };  // that look for the moment of a change at once, each among some of them
struct Room { Turn shown[2][JP + 1]; double off[TRIED], best[HEAVY_WARPS]; int at[HEAVY_WARPS]; };

template <int L> RARE void show(const Me &me, Room &room, int lane) {
    ROLL for (int i = lane; i < 2 * (JP + 1); i += L) {
        int back = i > JP, j = i - back * (JP + 1);
        Turn q = shown_joint(me, back * STEP_S, j);
        if (me.age() >= 0.0f) q = with_offset(me, (float)hi(me.age() - back * STEP_S, 0.0), j, q);
        room.shown[back][j] = q;
    }
    together<L>();
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
// what keeps an offset from bending a knee backward; shown, played: rotations now and a step before
RARE void settle_knee(const Me &me, int side, const Turn *shown, const Turn *played, float *spin) {
    Vec thigh = offset_at(leg_joint(side, 1)), shin = offset_at(leg_joint(side, 2));
    Quat at = quat(shown[0].w, shown[0].x, shown[0].y, shown[0].z);
    Vec axis = cross(thigh, rotate(at, shin)), own = rotate(conjugate(at), scaled(axis, 1 / hi(size_of(axis), (FEET)1e-12)));
    double bend = knee_bend(side, shown[0]), was = knee_bend(side, shown[1]), there = knee_bend(side, played[0]);
    double over = -sqrt(2.0 * STRAIGHT_RAD_S2 * bend) - (bend - was) / STEP_S;
    if (over > 0.0) for (int i = 0; i < 3; i++) spin[i] += (float)(over * part_of(own, i));
    me.soft(side) = there > bend ? (float)lo(SOFT_KNEE, bend / (there - bend)) : 0.0f;
}
template <int L> RARE void begin_offset(const Me &me, Room &room, int lane) {
    ROLL for (int i = lane; i <= JOINTS; i += L) {
        int j = i < JOINTS ? i : JP;
        float v[2][3];
        Turn shown[2], played[2];
        for (int back = 0; back < 2; back++) {
            Turn q = played[back] = shown_joint(me, back * STEP_S, j), kept = shown[back] = room.shown[back][j];
            if (j < JP) apart(q, kept, v[back]);
            else { v[back][0] = kept.x - q.x; v[back][1] = kept.y - q.y; v[back][2] = kept.z - q.z; }
        }
        rate_of(v[0], v[1], j < JP ? MOST_RAD_S : MOST_SPEED);
        if (j < JP && knee_of(j) >= 0) settle_knee(me, knee_of(j), shown, played, v[1]);
        for (int c = 0; c < 3; c++) { me.turn()[3 * i + c] = v[0][c]; me.spin()[3 * i + c] = v[1][c]; }
    }
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
