// Pose: two layers into one and what dies away (`mix_one`, a joint each), then root, forward kinematics, foot lock.

HD void mix_one(const World &w, int n, int j) {
    Me me = {w, n};
    float share = me.share(), age = me.age();
    bool two = me.layers() == 2 && share < 1.0f, fades = age >= 0.0f;
    if (!two && !fades) return;
    Turn *at = j < JOINTS ? w.o_rot + (size_t)n * JOINTS + j : w.o_sway + n, q = *at;
    int joint = j < JOINTS ? j : JP;
    if (two) {
        Turn other = j < JOINTS ? w.o_rot_1[(size_t)n * JOINTS + j] : w.o_sway_1[n];
        float rest = 1.0f - share;
        if (joint < JP) q = between(q, other, rest);
        else q = turn_of(0.0f, share * q.x + rest * other.x, share * q.y + rest * other.y, share * q.z + rest * other.z);
    }
    if (fades && !in_leg(joint)) q = with_offset(me, age, joint, q);
    *at = q;
}
struct Bones { Turn q[JOINTS]; float x[JOINTS], y[JOINTS], z[JOINTS]; };

HD void walk_joint(Bones &b, int j, int p, Turn r) {
    Turn q = b.q[p];
    float ox = offset_x(j), oy = offset_y(j), oz = offset_z(j);
    float tx = q.y * oz - q.z * oy, ty = q.z * ox - q.x * oz, tz = q.x * oy - q.y * ox;
    tx += tx; ty += ty; tz += tz;
    b.x[j] = b.x[p] + ox + q.w * tx + (q.y * tz - q.z * ty);
    b.y[j] = b.y[p] + oy + q.w * ty + (q.z * tx - q.x * tz);
    b.z[j] = b.z[p] + oz + q.w * tz + (q.x * ty - q.y * tx);
    b.q[j] = times(q, r.w, r.x, r.y, r.z);
}
HD Quat spin_of(const Bones &b, int j) { return quat(b.q[j].w, b.q[j].x, b.q[j].y, b.q[j].z); }
HD Vec spot_of(const Bones &b, int j) { return vec(b.x[j], b.y[j], b.z[j]); }
HD Quat spin_over(const Bones &b, int j) { return j < 0 ? quat(1, 0, 0, 0) : spin_of(b, j); }

HD Leg leg_of(const Bones &b, int hip, int knee, int ankle) {
    Leg leg = {spot_of(b, hip), spot_of(b, knee), spot_of(b, ankle), spin_over(b, parent(hip)), spin_over(b, parent(knee)),
               spin_over(b, parent(ankle)), spin_of(b, hip), spin_of(b, knee), spin_of(b, ankle)};
    return leg;
}
HD Foot read_foot(const Me &me, int side, double x, double y, double z) {
    Foot f;
    int a = 3 * side;
    f.held = vec((FEET)(me.held(a) - x), (FEET)(me.held(a + 1) - y), (FEET)(me.held(a + 2) - z));
    f.offset = vec((FEET)me.offset(a), (FEET)me.offset(a + 1), (FEET)me.offset(a + 2));
    f.speed = vec((FEET)me.speed(a), (FEET)me.speed(a + 1), (FEET)me.speed(a + 2));
    f.slip = vec((FEET)me.slip(a), (FEET)me.slip(a + 1), (FEET)me.slip(a + 2));
    UNROLL for (int k = 0; k < 3; k++) {
        int b = 9 * side + 3 * k;
        f.was[k] = vec((FEET)(me.was(b) - x), (FEET)(me.was(b + 1) - y), (FEET)(me.was(b + 2) - z));
    }
    f.shown = f.was[0].x == f.was[0].x;
    f.hold = (int)me.hold(side);
    return f;
}
HD void write_foot(const Me &me, int side, const Foot &f, double x, double y, double z) {
    int a = 3 * side;
    me.held(a) = f.held.x + x; me.held(a + 1) = f.held.y + y; me.held(a + 2) = f.held.z + z;
    UNROLL for (int i = 0; i < 3; i++) {
        me.offset(a + i) = part_of(f.offset, i);
        me.speed(a + i) = part_of(f.speed, i);
        me.slip(a + i) = part_of(f.slip, i);
    }
    UNROLL for (int k = 0; k < 3; k++) {
        int b = 9 * side + 3 * k;
        me.was(b) = f.was[k].x + x; me.was(b + 1) = f.was[k].y + y; me.was(b + 2) = f.was[k].z + z;
    }
    me.hold(side) = f.hold;
}
HD Vec sole_at(const Bones &b, int side, int k) {
    int j = sole_joint(side, k);
    return add_scaled(spot_of(b, j), rotate(spin_of(b, j), vec((FEET)sole_x(side, k), (FEET)sole_y(side, k), (FEET)sole_z(side, k))), 1);
}
// hold both feet and bend the legs; what the whole body moves by
HD Vec plant(const Me &me, Bones &b, Turn *rot, const Step &s) {
    bool down[4] = {false, false, false, false}, soon[2];
    FEET dt = (FEET)s.dt;
    feet_down(me, down, soon);
    bool fades = me.age() >= 0.0f;
    double goal = 0.5 * (me.floor(0) + me.floor(1)), x0 = me.lift(0) - goal, v0 = me.lift(1), kl = 1.0 / LIVE_LIFT_S;
    double j0 = (v0 + kl * x0) * s.dt, lift = goal + (x0 + j0) * s.lift_e;
    me.lift(0) = lift; me.lift(1) = (v0 - kl * j0) * s.lift_e;
    Vec offset[2];
    FEET grip[2];
    UNROLL for (int side = 0; side < 2; side++) {
        Sole sole;
        UNROLL for (int k = 0; k < 3; k++) {
            sole.point[k] = sole_at(b, side, k);
            sole.height[k] = sole.point[k].y - (FEET)standing(side, k);
            if (k < 2 && fades && sole.height[k] > (FEET)LIVE_LOW_M) down[2 * side + k] = false;
            if (k < 2) me.down(2 * side + k) = down[2 * side + k];
        }
        sole.ground = (FEET)(me.floor(side) - lift);
        Foot foot = read_foot(me, side, me.root(0), lift, me.root(1));
        hold_one(sole, down + 2 * side, foot, dt, s);
        write_foot(me, side, foot, me.root(0), lift, me.root(1));
        offset[side] = foot.offset;
        double most = s.dt / LIVE_EASE_S, g = me.grip(side);
        g += within((soon[side] ? 1.0 : 0.0) - g, -most, most);
        me.grip(side) = g;
        grip[side] = (FEET)(g * g * g * (10.0 - 15.0 * g + 6.0 * g * g));
    }
    Leg left = leg_of(b, leg_joint(0, 0), leg_joint(0, 1), leg_joint(0, 2));
    Leg right = leg_of(b, leg_joint(1, 0), leg_joint(1, 1), leg_joint(1, 2));
    Vec toes0 = rotate(left.ankle_turn, vec((FEET)sole_x(0, 1), (FEET)sole_y(0, 1), (FEET)sole_z(0, 1)));
    Vec toes1 = rotate(right.ankle_turn, vec((FEET)sole_x(1, 1), (FEET)sole_y(1, 1), (FEET)sole_z(1, 1)));
    knee_ahead(left, toes0);
    knee_ahead(right, toes1);
    Vec t0 = add_scaled(left.ankle, offset[0], 1), t1 = add_scaled(right.ankle, offset[1], 1);
    Vec to = least_move(minus(t0, left.hip), minus(t1, right.hip), leg_reach(left, grip[0]), leg_reach(right, grip[1])), move;
    UNROLL for (int i = 0; i < 3; i++) {
        FEET x = (FEET)me.shift(i), v = (FEET)me.shift(3 + i);
        spring(x, v, part_of(to, i), dt, (FEET)(1 / LIVE_SHIFT_S), (FEET)s.shift_e);
        me.shift(i) = x; me.shift(3 + i) = v;
        part_of(move, i) = x;
    }
    t0 = knee_in_time(me, 0, left, t0, move, dt);
    t1 = knee_in_time(me, 1, right, t1, move, dt);
    toes0 = knee_pole(me, 0, left, toes0, dt);
    toes1 = knee_pole(me, 1, right, toes1, dt);
    place_leg(rot + leg_joint(0, 0), rot + leg_joint(0, 1), rot + leg_joint(0, 2), left, move, t0, toes0);
    place_leg(rot + leg_joint(1, 0), rot + leg_joint(1, 1), rot + leg_joint(1, 2), right, move, t1, toes1);
    UNROLL for (int j = 1; j < JOINTS; j++)
        if (is_below(j)) walk_joint(b, j, parent(j), rot[j]);
    note_side(me, 0, leg_of(b, leg_joint(0, 0), leg_joint(0, 1), leg_joint(0, 2)));
    note_side(me, 1, leg_of(b, leg_joint(1, 0), leg_joint(1, 1), leg_joint(1, 2)));
    move.y += (FEET)lift;
    return move;
}
HD void pose_one(const World &w, int n, const Step &s) {
    Me me = {w, n};
    Turn *rot = w.o_rot + (size_t)n * JOINTS, sway = w.o_sway[n], q = rot[0];
    double half = 0.5 * me.root(2);
    double half_sin, half_cos;
    sincos(half, &half_sin, &half_cos);
    float hc = (float)half_cos, hs = (float)half_sin, c = hc * hc - hs * hs, sn = 2.0f * hc * hs;
    if (HAS_LEGS && me.age() >= 0.0f) {
        offset_leg(me, me.age(), 0, rot);
        offset_leg(me, me.age(), 1, rot);
    }
    Bones b;
    b.q[0] = turn_of(hc * q.w - hs * q.y, hc * q.x + hs * q.z, hc * q.y + hs * q.w, hc * q.z - hs * q.x);
    b.x[0] = c * sway.x + sn * sway.z; b.y[0] = sway.y; b.z[0] = c * sway.z - sn * sway.x;
    rot[0] = b.q[0];
    UNROLL for (int j = 1; j < JOINTS; j++) walk_joint(b, j, parent(j), rot[j]);
    Vec move = vec(0, 0, 0);
    if (HAS_LEGS && s.lock) move = plant(me, b, rot, s);
    w.o_place[n] = me.root(0) + move.x;
    w.o_place[w.n + n] = move.y;
    w.o_place[2 * (size_t)w.n + n] = me.root(1) + move.z;
    UNROLL for (int j = 0; j < JOINTS; j++) {
        float *at = w.o_joints + (size_t)3 * j * w.n + n;
        at[0] = b.x[j]; at[w.n] = b.y[j]; at[2 * (size_t)w.n] = b.z[j];
    }
}
