// Foot lock: what stands stays where it landed (feet/live_lock.py, live/frame.py). Places are relative to the carrier.

struct Foot { Vec held, offset, speed, slip, was[3]; int hold; bool shown; };
struct Sole { Vec point[3]; FEET height[3], ground; };

HD void spring(FEET &offset, FEET &speed, FEET goal, FEET dt, FEET k, FEET e) {
    FEET x = offset - goal, j = (speed + k * x) * dt;
    offset = goal + (x + j) * e;
    speed = (speed - k * j) * e;
}
HD int choose(const FEET *heights, const bool *down, int current) {
    int best = -1, lowest = 0;
    FEET low = 0;
    UNROLL for (int k = 0; k < 3; k++) {
        if (heights[k] < heights[lowest]) lowest = k;
        if (down[k == 0 ? 0 : 1] && (best < 0 || heights[k] < low)) { best = k; low = heights[k]; }
    }
    if (best < 0) return -1;
    FEET now = current < 0 ? 0 : heights[current];
    if (low > heights[lowest] + (FEET)LIVE_WRONG_M) {
        best = lowest; low = heights[lowest];
        return current >= 0 && now <= low + (FEET)LIVE_LOWER_M ? current : best;
    }
    bool stays = current >= 0 && down[current == 0 ? 0 : 1];
    return stays && now <= low + (FEET)LIVE_LOWER_M ? current : best;
}
HD FEET sinks(const Sole &sole, FEET floor, FEET offset, const Foot &foot, FEET dt, FEET stop) {
    FEET most = 0;
    UNROLL for (int k = 0; k < 3; k++) {
        FEET now = sole.height[k] + offset - floor, least = 0;
        FEET before = foot.shown ? foot.was[k].y - sole.point[k].y + sole.height[k] - floor : (FEET)0;
        if (now >= 0 && foot.shown && now >= before) continue;
        if (foot.shown && before >= 0) least = hi(before - dt * (FEET)sqrt(2 * stop * before), (FEET)0);
        else if (foot.shown) least = lo(before + (FEET)LIVE_RISE_M_S * dt, (FEET)0);
        most = hi(most, least - now);
    }
    return most;
}
HD FEET near_of(FEET x, FEET z) {
    FEET far = sqrt(x * x + z * z), room = (FEET)(LIVE_FAR_M - LIVE_NEAR_M);
    if (far <= (FEET)LIVE_NEAR_M) return 1;
    return ((FEET)LIVE_NEAR_M - room * (FEET)expm1(-(far - (FEET)LIVE_NEAR_M) / room)) / far;
}
HD void hold_one(const Sole &sole, const bool *down, Foot &foot, FEET dt, const Step &s) {
    int before = foot.hold, chosen = dt == 0 && foot.shown ? before : choose(sole.height, down, before);
    if (before < 0 || chosen < 0) {
        UNROLL for (int i = 0; i < 3; i++)
            spring(part_of(foot.offset, i), part_of(foot.speed, i), i == 1 ? sole.ground : (FEET)0, dt,
                   (FEET)(1 / LIVE_FADE_S), (FEET)s.fade_e);
    }
    if (chosen < 0) {
        FEET up = sinks(sole, sole.ground - (FEET)LIVE_SUNK_M, foot.offset.y, foot, dt, (FEET)LIVE_STOP_M_S2);
        if (up > 0) { foot.offset.y += up; foot.speed.y = hi(foot.speed.y, (FEET)0); }
    } else {
        int ball = lo(chosen, 1), ball_before = lo(before, 1);  // over the floor, toes are held by their ball
        Vec point = ball == 0 ? sole.point[0] : sole.point[1];
        if (chosen == 2) point.y = sole.point[2].y;
        FEET height = chosen == 0 ? sole.height[0] : chosen == 1 ? sole.height[1] : sole.height[2];
        if (before >= 0) {
            FEET speed = sqrt(foot.slip.x * foot.slip.x + foot.slip.z * foot.slip.z);
            FEET left = hi(speed - (FEET)LIVE_BRAKE_M_S2 * dt, (FEET)0) / hi(speed, (FEET)1e-9);
            foot.slip.x *= left; foot.slip.z *= left;
            foot.held.x += foot.slip.x * dt; foot.held.z += foot.slip.z * dt;
        }
        Vec old = ball_before == 0 ? sole.point[0] : sole.point[1], was = ball == 0 ? foot.was[0] : foot.was[1];
        if (chosen == 2) was.y = foot.was[2].y;
        UNROLL for (int i = 0; i < 3; i++) {
            if (i == 1 ? chosen == before : ball == ball_before) continue;
            FEET now = before < 0 || i == 1 ? part_of(foot.offset, i) : part_of(foot.held, i) - part_of(old, i);
            part_of(foot.held, i) = part_of(point, i) + now;
            FEET gone = part_of(foot.held, i) - part_of(was, i);
            part_of(foot.slip, i) = dt > 0 && foot.shown ? gone / dt : (FEET)0;
        }
        FEET high = height + foot.held.y - point.y - sole.ground, k = (FEET)(1 / LIVE_SETTLE_S);
        FEET v = high > 0 ? hi(foot.slip.y, -k * high) : lo(hi(foot.slip.y, (FEET)0), -k * high), j = (v + k * high) * dt;
        foot.held.y += (high + j) * (FEET)s.settle_e - high;
        foot.slip.y = (v - k * j) * (FEET)s.settle_e;
        FEET up = sinks(sole, sole.ground - (FEET)LIVE_SUNK_M, foot.held.y - point.y, foot, dt, (FEET)LIVE_SLAP_M_S2);
        if (up > 0) { foot.held.y += up; foot.slip.y = hi(foot.slip.y, (FEET)0); }
        FEET out = near_of(foot.held.x - point.x, foot.held.z - point.z);
        UNROLL for (int i = 0; i < 3; i++) {
            FEET fresh = (part_of(foot.held, i) - part_of(point, i)) * (i == 1 ? (FEET)1 : out);
            if (dt > 0) {
                FEET speed = (fresh - part_of(foot.offset, i)) / dt;
                part_of(foot.speed, i) = lo(hi(speed, (FEET)-LIVE_FASTEST_M_S), (FEET)LIVE_FASTEST_M_S);
            }
            part_of(foot.offset, i) = fresh;
        }
    }
    UNROLL for (int k = 0; k < 3; k++) foot.was[k] = add_scaled(sole.point[k], foot.offset, 1);
    foot.hold = chosen;
}
// Contacts of a layer as one byte: bits 0 to 3 what is down (heel, toe of left, of right), 4 and 5 which foot is, or
// soon will be.
HD int contact_bits(float start, float end, double t, double ahead, bool loops, int p) {
    int bits = 0;
    UNROLL for (int lap = -1; lap < 2; lap++) {
        double at = t + lap;
        if ((lap == 0 || loops) && at <= end) {
            if (at >= start) bits |= 1 << p;
            if (at >= start - ahead) bits |= 16 << (p / 2);
        }
    }
    return bits;
}
HD int contacts(const World &w, int k, const float *weights, double t, double ahead) {
    int bits = 0;
    for (int c = 0; c < 4 * SPANS; c++) {
        const float *row = w.m_spans + (size_t)k * EXAMPLES * 8 * SPANS + 2 * c;
        float start = 0.0f, end = 0.0f;
        for (int e = 0; e < w.m_count[k]; e++, row += 8 * SPANS) { start += weights[e] * row[0]; end += weights[e] * row[1]; }
        bits |= contact_bits(start, end, t, ahead, w.m_loops[k], c / SPANS);
    }
    return bits;
}
HD void agree(bool heel, bool toe, bool *down) {
    if ((heel && down[0]) || (toe && down[1])) { down[0] = heel && down[0]; down[1] = toe && down[1]; }
    else if ((heel || toe) && (down[0] || down[1])) down[0] = down[1] = true;
}
// parts that are down by the larger layer, of a foot that both have down those that both have; and which foot soon is
HD void feet_down(const Me &me, bool down[4], bool soon[2]) {
    float share = me.share();
    bool two = me.layers() == 2 && share < 1.0f;
    int larger = share >= 0.5f || !two ? 0 : 1;
    int bits = me.w.o_feet[(size_t)larger * me.w.n + me.n];
    UNROLL for (int p = 0; p < 4; p++) down[p] = bits >> p & 1;
    soon[0] = bits & 16; soon[1] = bits & 32;
    if (two) {
        int other = me.w.o_feet[(size_t)(1 - larger) * me.w.n + me.n];
        agree(other & 1, other & 2, down);
        agree(other & 4, other & 8, down + 2);
    }
}
