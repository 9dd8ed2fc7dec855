// Steering: from what is asked of a character to the parameters and weights of what it plays (live/steering.py,
// live/easing.py, live/packed_weights.py, weights/lookup.py, graph/coverage.py).

HD bool stands(const World &w, int k) { return w.m_loops[k] && w.m_pieces[k] == 1; }

HD bool into_polygon(const double *edges, int count, double &x, double &y) {
    bool outside = false;
    ROLL for (int h = 0; h < count; h++) {
        const double *e = edges + 4 * h;
        outside = outside || e[2] * (y - e[1]) - e[3] * (x - e[0]) < -SAME;
    }
    if (!outside) return false;
    double best = INFINITY, near_x = x, near_y = y;
    ROLL for (int h = 0; h < count; h++) {
        double ax = edges[4 * h], ay = edges[4 * h + 1], ex = edges[4 * h + 2], ey = edges[4 * h + 3];
        double share = within(((x - ax) * ex + (y - ay) * ey) / hi(ex * ex + ey * ey, 1e-300), 0.0, 1.0);
        double qx = ax + share * ex, qy = ay + share * ey, far = (x - qx) * (x - qx) + (y - qy) * (y - qy);
        if (far < best) { best = far; near_x = qx; near_y = qy; }
    }
    x = near_x; y = near_y;
    return true;
}
// parameters of a node brought to the nearest that its examples cover
HD void cover(const World &w, int c, double *wish) {
    if (w.s_kind[c] == POLYGON) {
        double sx = w.s_scale[2 * c], sy = w.s_scale[2 * c + 1], x = wish[0] / sx, y = wish[1] / sy;
        if (into_polygon(w.s_corners + 4 * w.s_first[c], w.s_last[c] - w.s_first[c], x, y)) {
            wish[0] = x * sx; wish[1] = y * sy;
        }
    } else {
        ROLL for (int i = 0; i < w.s_axes[c]; i++) wish[i] = within(wish[i], w.s_low[c * DIMS + i], w.s_high[c * DIMS + i]);
    }
}
// what is asked of the parameters of motion k, from its first that follows; a node that Python covers: what is usual
RARE void wished(const Me &me, int k, double *wish) {
    const World &w = me.w;
    int begin = w.s_begin[k], axes = w.s_axes[k], c = w.s_cover[k];
    ROLL for (int i = 0; i < axes; i++) {
        if (w.s_kind[c] == OUTSIDE) { wish[i] = w.d_usual[c * DIMS + i]; continue; }
        int source = w.s_source[k * DIMS + begin + i];
        double asked = source < 0 ? NAN : me.asked(source);
        wish[i] = asked == asked ? asked : w.s_usual[k * DIMS + begin + i];
    }
    if (axes && w.s_kind[c] != OUTSIDE) cover(w, c, wish);
}
HD void aim(const Me &me, int v) {
    double wish[DIMS];
    int k = me.motion(v), begin = me.w.s_begin[k];
    wished(me, k, wish);
    ROLL for (int i = 0; i < me.w.s_axes[k]; i++) me.goal(v * DIMS + begin + i) = wish[i];
}
HD void ease(double goal, double &p, double &rate, double limit, double keep, double dt) {
    double far = goal - p, wanted = within(far * QUICK, -limit, limit), fresh = wanted + (rate - wanted) * keep;
    double moved = wanted * dt + (rate - wanted) * SLOW * (1.0 - keep);
    bool arrived = fabs(far) < NEAR_GOAL * limit && fabs(fresh) < AT_REST * limit;
    if (arrived || (fabs(moved) > fabs(far) && moved * far > 0.0)) { p = goal; rate = 0.0; }
    else { p += moved; rate = fresh; }
}
HD int spline_basis(float t, int cells, float b[4]) {
    int i = lo(hi((int)t, 0), cells - 1);
    float f = lo(hi(t - (float)i, 0.0f), 1.0f), g = 1.0f - f, sixth = 1.0f / 6.0f;
    b[0] = g * g * g * sixth;
    b[1] = ((3.0f * f - 6.0f) * f * f + 4.0f) * sixth;
    b[2] = ((3.0f * g - 6.0f) * g * g + 4.0f) * sixth;
    b[3] = f * f * f * sixth;
    return i;
}
RARE void look_up_lattice(const World &w, const float *at, int d, int begin, int n, int width, float *out) {
    float basis[DIMS][4];
    int first = 0, corners = 1 << (2 * d);
    ROLL for (int k = 0; k < d; k++) first = first * n + spline_basis(at[k], n - 3, basis[k]);
    ROLL for (int c = 0; c < width; c += 4) {
        float x0 = 0.0f, x1 = 0.0f, x2 = 0.0f, x3 = 0.0f;
        ROLL for (int corner = 0; corner < corners; corner++) {
            float by = 1.0f;
            int line = 0;
            ROLL for (int k = 0; k < d; k++) {
                int along = (corner >> (2 * (d - 1 - k))) & 3;
                by *= basis[k][along];
                line = line * n + along;
            }
            const float *from = w.w_values + begin + (size_t)(first + line) * width + c;
            x0 += by * from[0]; x1 += by * from[1]; x2 += by * from[2]; x3 += by * from[3];
        }
        out[c] = x0; out[c + 1] = x1; out[c + 2] = x2; out[c + 3] = x3;
    }
}
HD void look_up_plane(const World &w, const float *at, int begin, int n, int width, float *out) {
    float bx[4], by[4];
    int i = spline_basis(at[0], n - 3, bx), j = spline_basis(at[1], n - 3, by);
    ROLL for (int c = 0; c < width; c += 4) {
        float x0 = 0.0f, x1 = 0.0f, x2 = 0.0f, x3 = 0.0f;
        UNROLL for (int a = 0; a < 4; a++) UNROLL for (int b = 0; b < 4; b++) {
            float by_both = bx[a] * by[b];
            const float *from = w.w_values + begin + (size_t)((i + a) * n + j + b) * width + c;
            Turn v = four(from);
            x0 += by_both * v.w; x1 += by_both * v.x; x2 += by_both * v.y; x3 += by_both * v.z;
        }
        *(Turn *)(out + c) = turn_of(x0, x1, x2, x3);
    }
}
RARE void look_up_radial(const World &w, const float *at, int d, int begin, int width, float *out) {
    const float *centres = w.w_values + begin, *near = centres + d * width, *rows = near + width;
    float value[EXAMPLES + DIMS];  // of the functions at work: the axes, then those in reach
    int line[EXAMPLES + DIMS], used = d;
    ROLL for (int k = 0; k < d; k++) { value[k] = at[k]; line[k] = (1 + k) * width; }
    ROLL for (int c = 0; c < width; c++) {
        float sum = 0.0f;
        ROLL for (int k = 0; k < d; k++) { float off = at[k] - centres[k * width + c]; sum += off * off; }
        float x = sqrtf(sum) * near[c], a = hi(2.0f - x, 0.0f), b = hi(1.0f - x, 0.0f);
        float bump = (a * a * a - 4.0f * b * b * b) * (1.0f / 6.0f);
        if (bump != 0.0f) { value[used] = bump; line[used++] = (1 + d + c) * width; }
    }
    ROLL for (int c = 0; c < width; c += 4) {
        Turn sum = four(rows + c);
        ROLL for (int m = 0; m < used; m++) {
            Turn v = four(rows + line[m] + c);
            float by = value[m];
            sum.w += by * v.w; sum.x += by * v.x; sum.y += by * v.y; sum.z += by * v.z;
        }
        *(Turn *)(out + c) = sum;
    }
}
RARE void weigh(const Me &me, int v) {
    const World &w = me.w;
    int k = me.motion(v), d = w.w_axes[k], begin = w.w_first[k], n = w.w_size[k], width = w.w_width[k];
    float at[DIMS], *out = me.weights() + v * EXAMPLES;
    if (w.w_kind[k] == ALONE) { *(Turn *)out = turn_of(1.0f, 0.0f, 0.0f, 0.0f); return; }
    ROLL for (int i = 0; i < d; i++) {
        double p = within(me.p(v * DIMS + i), w.s_least[k * DIMS + i], w.s_most[k * DIMS + i]);
        at[i] = (float)((p - w.w_low[k * DIMS + i]) * w.w_scale[k * DIMS + i]);
    }
    if (w.w_kind[k] == LATTICE) {
        ROLL for (int i = 0; i < d; i++) at[i] = lo(hi(at[i], 0.0f), (float)(n - 3));
        if (d == 2) look_up_plane(w, at, begin, n, width, out);
        else look_up_lattice(w, at, d, begin, n, width, out);
    } else look_up_radial(w, at, d, begin, width, out);
}
HD void steer(const Me &me, int v, const Step &s) {
    const World &w = me.w;
    int k = me.motion(v), begin = w.s_begin[k], end = begin + w.s_axes[k];
    if (end > begin) aim(me, v);
    ROLL for (int i = begin; i < end; i++)
        ease(me.goal(v * DIMS + i), me.p(v * DIMS + i), me.p_rate(v * DIMS + i), w.s_limit[k * DIMS + i], s.keep, s.dt);
    weigh(me, v);
}
// a layer that begins: its parameters are what is asked for
HD void steer_at_once(const Me &me, int v) {
    int k = me.motion(v), begin = me.w.s_begin[k];
    aim(me, v);
    ROLL for (int i = begin; i < begin + me.w.s_axes[k]; i++) me.p(v * DIMS + i) = me.goal(v * DIMS + i);
    weigh(me, v);
}
