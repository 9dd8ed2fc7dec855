// Legs: analytic two-bone IK (feet/leg_kernels.py) and the least move of the pelvis (feet/pelvis_reach.py).

struct Leg { Vec hip, knee, ankle; Quat over_hip, over_knee, over_ankle, hip_turn, knee_turn, ankle_turn; };

HD Quat shortest_turn(Vec a, Vec b) {
    a = scaled(a, 1 / hi(size_of(a), (FEET)TINY));
    b = scaled(b, 1 / hi(size_of(b), (FEET)TINY));
    FEET w = 1 + dot(a, b);
    Vec axis = cross(a, b);
    if (w < (FEET)OPPOSITE) {
        w = 0;
        axis = cross(a, fabs(a.x) < (FEET)0.9 ? vec(1, 0, 0) : vec(0, 1, 0));
    }
    FEET n = 1 / sqrt(w * w + dot(axis, axis));
    return quat(w * n, axis.x * n, axis.y * n, axis.z * n);
}
HD Vec direction(Vec v, Vec fallback, FEET &n) {
    n = size_of(v);
    if (n > (FEET)1e-12) return scaled(v, 1 / n);
    FEET m = size_of(fallback);
    return m > (FEET)1e-12 ? scaled(fallback, 1 / m) : vec(0, -1, 0);
}
HD Vec any_across(Vec aim) {
    Vec other = fabs(aim.z) < (FEET)0.9 ? vec(0, 0, 1) : vec(1, 0, 0), v = add_scaled(other, aim, -dot(other, aim));
    return scaled(v, 1 / size_of(v));
}
HD FEET soft_reach(FEET wanted, FEET now, FEET upper, FEET lower) {
    FEET length = upper + lower, slow = hi((FEET)LEG_SOFT_FROM * length, lo(now, length)), result = wanted;
    if (wanted > slow) {
        FEET limit = lo(hi((FEET)LEG_MAX_EXTENSION * length, slow), length), room = hi(limit - slow, (FEET)1e-12);
        result = lo(slow - room * (FEET)expm1(-(wanted - slow) / room), limit);
    }
    return hi(result, lo(hi((FEET)fabs(upper - lower), (FEET)1e-6 * length), length));
}
// bends a limb that was slowed towards full extension before (`knee_in_time`)
HD void bend_limb(Vec start, Vec mid, Vec end, Vec target, Vec pole, Quat &new_upper, Quat &new_lower) {
    new_upper = new_lower = quat(1, 0, 0, 0);
    if (target.x == end.x && target.y == end.y && target.z == end.z) return;
    Vec thigh = minus(mid, start), shin = minus(end, mid);
    FEET upper = size_of(thigh), lower = size_of(shin), now, wanted, unused;
    Vec line = direction(minus(end, start), thigh, now), aim = direction(minus(target, start), line, wanted);
    FEET reach = hi(lo(wanted, upper + lower), lo(hi((FEET)fabs(upper - lower), (FEET)1e-6 * (upper + lower)), upper + lower));
    Quat swing = shortest_turn(line, aim);
    Vec swung = rotate(swing, thigh), sideways = add_scaled(swung, aim, -dot(swung, aim));
    FEET along = (reach * reach + upper * upper - lower * lower) / (2 * hi(reach, (FEET)1e-12));
    along = lo(hi(along, -upper), upper);
    FEET offset = sqrt(hi(upper * upper - along * along, (FEET)0));
    if (offset < (FEET)LEG_ROUNDING * upper) offset = 0;
    FEET had = size_of(sideways), x = lo(had / hi((FEET)LEG_NEARLY_STRAIGHT * upper, (FEET)1e-12), (FEET)1);
    Vec hint = direction(add_scaled(pole, aim, -dot(pole, aim)), any_across(aim), unused);
    FEET unsure = 1 - x * x * (3 - 2 * x);
    Vec side = direction(add_scaled(sideways, hint, hi(offset - had, (FEET)0) * unsure), hint, unused);
    Vec new_thigh = add_scaled(scaled(aim, along), side, offset), new_shin = minus(scaled(aim, reach), new_thigh);
    new_upper = multiply(shortest_turn(swung, new_thigh), swing);
    new_lower = multiply(shortest_turn(rotate(swing, shin), new_shin), swing);
}
// a local rotation of unit length, with the sign of the one it replaces
HD void store(Turn *rot, Quat q) {
    Turn old = *rot;
    FEET scale = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (q.w * old.w + q.x * old.x + q.y * old.y + q.z * old.z < 0) scale = -scale;
    *rot = turn_of((float)(q.w * scale), (float)(q.x * scale), (float)(q.y * scale), (float)(q.z * scale));
}
HD void place_leg(Turn *hip, Turn *knee, Turn *ankle, const Leg &leg, Vec move, Vec target, Vec pole) {
    Quat upper, lower;
    bend_limb(add_scaled(leg.hip, move, 1), add_scaled(leg.knee, move, 1), add_scaled(leg.ankle, move, 1), target, pole,
              upper, lower);
    Quat thigh_over = multiply(upper, leg.over_knee), shin_over = multiply(lower, leg.over_ankle);
    store(hip, multiply(conjugate(leg.over_hip), multiply(upper, leg.hip_turn)));
    store(knee, multiply(conjugate(thigh_over), multiply(lower, leg.knee_turn)));
    store(ankle, multiply(conjugate(shin_over), leg.ankle_turn));
}
HD FEET bend_cosine(FEET far, FEET bones, FEET both) { return lo(hi((far - bones) / hi(both, (FEET)1e-12), (FEET)-1), (FEET)1); }
// the line from hip to ankle made longer over the floor, up to its full length and by so much at most
HD Vec aside(Vec line, FEET full, FEET most) {
    FEET flat = sqrt(line.x * line.x + line.z * line.z);
    if (flat * most <= 0 || full * full <= dot(line, line)) return line;
    FEET k = lo((FEET)sqrt(full * full - line.y * line.y), flat + most) / flat;
    return vec(k * line.x, line.y, k * line.z);
}
// where an ankle goes so that its leg is slowed towards full extension and its knee turns no faster than it may
HD Vec knee_in_time(const Me &me, int side, const Leg &leg, Vec target, Vec move, FEET dt) {
    Vec thigh = minus(leg.knee, leg.hip), shin = minus(leg.ankle, leg.knee), own = minus(leg.ankle, leg.hip);
    Vec hip = add_scaled(leg.hip, move, 1), line = minus(target, hip);
    FEET upper = size_of(thigh), lower = size_of(shin), now = dot(own, own);
    FEET bones = upper * upper + lower * lower, both = 2 * upper * lower, size = sqrt(hi(dot(line, line), (FEET)1e-12));
    FEET reach = soft_reach(size, sqrt(now), upper, lower);
    FEET wanted = bend_cosine(reach * reach, bones, both), animated = bend_cosine(now, bones, both);
    int at = 6 * side;
    FEET last = (FEET)me.knees(at), was = (FEET)me.knees(at + 1), turned = (FEET)me.knees(at + 5);
    me.knees(at) = wanted; me.knees(at + 1) = animated;
    if (dt > 0 && last == last) {
        FEET usual = (FEET)LIVE_KNEE_RAD_S * dt, faster = (FEET)LIVE_KNEE_RAD_S2 * dt * dt;
        FEET brake = (FEET)LIVE_KNEE_BRAKE_RAD_S2 * dt * dt, straightest = hi(wanted, last);
        FEET sine = sqrt(hi(1 - straightest * straightest, (FEET)1e-12)), gone = (last - wanted) / sine;
        bool stops = gone >= 0 || gone * gone <= 2 * brake * sine;
        if (fabs(gone) > lo(usual, faster) || !stops) {
            FEET before = acos(last), bent = acos(wanted), sign = bent > before ? 1 : bent < before ? -1 : 0;
            FEET own_turn = (FEET)LIVE_KNEE_FASTER * (FEET)fabs(acos(animated) - acos(was));
            FEET most = lo(hi(usual, own_turn), hi(turned * sign, (FEET)0) + faster);
            FEET slowed = before + brake - sqrt(brake * (brake + 2 * before));
            FEET held = lo(hi(hi(bent, before - most), lo(slowed, before - own_turn)), before + most);
            if (held != bent) {
                FEET full = sqrt(hi(bones + both * (FEET)cos(held), (FEET)0)), x = target.x - leg.ankle.x, z = target.z - leg.ankle.z;
                line = scaled(line, lo(full, reach + (FEET)LIVE_KNEE_LOW_M) / size);
                line = aside(line, full, (FEET)LIVE_KNEE_ASIDE * hi((FEET)sqrt(x * x + z * z) - (FEET)LIVE_KNEE_ASIDE_FROM_M, (FEET)0));
                reach = size = size_of(line);
                target = add_scaled(hip, line, 1);
                wanted = bend_cosine(reach * reach, bones, both);
                me.knees(at) = wanted;
                bent = acos(wanted);
            }
            gone = bent - before;
        }
        me.knees(at + 5) = gone;
    }
    return reach != size ? add_scaled(hip, line, reach / size) : target;
}
// where a knee bends to whose motion has it straight: as in the last frame, and little by little to where the toes point
HD Vec knee_pole(const Me &me, int side, const Leg &leg, Vec toes, FEET dt) {
    FEET size = size_of(toes), share = lo(dt / (FEET)LIVE_POLE_S, (FEET)1);
    int at = 6 * side + 2;
    if (me.knees(at) != me.knees(at) || size < (FEET)1e-9) return toes;
    Vec last = rotate(leg.over_hip, vec((FEET)me.knees(at), (FEET)me.knees(at + 1), (FEET)me.knees(at + 2)));
    return add_scaled(scaled(last, 1 - share), toes, share / size);
}
// where the knee of a leg as made points, as seen from what carries its hip
HD void note_side(const Me &me, int side, const Leg &leg) {
    Vec thigh = minus(leg.knee, leg.hip), line = minus(leg.ankle, leg.hip);
    Vec out = add_scaled(thigh, line, -dot(thigh, line) / hi(dot(line, line), (FEET)1e-12));
    FEET size = size_of(out);
    if (size <= (FEET)STRAIGHT * size_of(thigh)) return;
    out = rotate(conjugate(leg.over_hip), scaled(out, 1 / size));
    UNROLL for (int i = 0; i < 3; i++) me.knees(6 * side + 2 + i) = part_of(out, i);
}
HD FEET leg_reach(const Leg &leg, FEET grip) {
    FEET length = size_of(minus(leg.knee, leg.hip)) + size_of(minus(leg.ankle, leg.knee));
    FEET line = size_of(minus(leg.ankle, leg.hip));
    return lo(hi((FEET)LEG_SOFT_FROM * length, line), length) + (FEET)LEG_FREE * length * (1 - grip);
}
HD Vec into_ball(Vec center, FEET radius, bool &inside) {
    FEET distance = size_of(center);
    inside = distance <= radius;
    return inside ? vec(0, 0, 0) : add_scaled(center, center, -radius / hi(distance, (FEET)TINY));
}
HD Vec least_move(Vec c0, Vec c1, FEET r0, FEET r1) {
    bool in0, in1;
    Vec on0 = into_ball(c0, r0, in0), on1 = into_ball(c1, r1, in1);
    if (in0 && in1) return vec(0, 0, 0);
    if (size_of(minus(on0, c1)) <= r1 * (1 + (FEET)TOUCHES)) return on0;
    if (size_of(minus(on1, c0)) <= r0 * (1 + (FEET)TOUCHES)) return on1;
    Vec line = minus(c1, c0);
    FEET apart = size_of(line);
    Vec axis = scaled(line, 1 / hi(apart, (FEET)TINY));
    if (apart > r0 + r1) return add_scaled(c0, axis, (r0 + apart - r1) / 2);
    FEET along = (apart * apart + r0 * r0 - r1 * r1) / hi(2 * apart, (FEET)TINY), far = hi(r0, apart);
    along = lo(hi(along, -far), far);
    Vec across = add_scaled(scaled(c0, -1), axis, dot(c0, axis));
    FEET size = sqrt(hi(r0 * r0 - along * along, (FEET)0)) / hi(size_of(across), (FEET)TINY);
    return add_scaled(add_scaled(c0, axis, along), across, size);
}
// the leg with its knee on the side of the toes
HD void knee_ahead(Leg &leg, Vec ahead) {
    Vec thigh = minus(leg.knee, leg.hip), line = minus(leg.ankle, leg.hip);
    FEET size = hi(dot(line, line), (FEET)1e-12), along = dot(thigh, line);
    FEET behind = dot(thigh, ahead) - along * dot(ahead, line) / size;
    if (behind >= 0) return;
    Vec hint = add_scaled(ahead, line, -dot(ahead, line) / size);
    FEET far = dot(thigh, thigh), length = hi(dot(hint, hint), (FEET)1e-12);
    if (length < (FEET)LIVE_ASKEW * dot(ahead, ahead)) return;
    if (far - along * along / size > (FEET)(LIVE_BACKWARDS * LIVE_BACKWARDS) * far) return;
    Vec knee = add_scaled(leg.knee, hint, -2 * behind / length);
    Quat upper = shortest_turn(thigh, minus(knee, leg.hip));
    Quat lower = shortest_turn(minus(leg.ankle, leg.knee), minus(leg.ankle, knee));
    leg.knee = knee;
    leg.over_knee = multiply(upper, leg.over_knee); leg.over_ankle = multiply(lower, leg.over_ankle);
    leg.hip_turn = multiply(upper, leg.hip_turn); leg.knee_turn = multiply(lower, leg.knee_turn);
}
