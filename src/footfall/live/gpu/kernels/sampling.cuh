// Sampling of packed motions: clock, travel and poses (parametric/sampling.py).

// weights are 0 from a motion's last example to the next border of four, so sums go over whole fours
HD double blended_rate(const World &w, const float *weights, int k, int m) {
    const double *logs = w.m_log_rates + (k * PIECES + m) * EXAMPLES, *bounds = w.m_bounds + (k * PIECES + m) * 2;
    double total = 0.0;
    int count = w.m_count[k];
    ROLL for (int e = 0; e < count; e += 4) {
        Turn by = four(weights + e);
        Two a = two(logs + e), b = two(logs + e + 2);
        total += by.w * a.a + by.x * a.b + by.y * b.a + by.z * b.b;
    }
    return exp(within(total, bounds[0], bounds[1]));
}
HD int piece_of(double t, int pieces) {
    double x = t * pieces;
    int m = x > 0.0 ? lo((int)x, pieces - 1) : 0;
    return t >= (m + 1) / (double)pieces ? m + 1 : m;
}
HD int cell_of(double t, int cells, double &f) {
    double x = t > 0.0 ? lo(t, 1.0) * cells : 0.0;
    int g = lo((int)x, cells - 1);
    f = x - g;
    return g;
}
// forward, left and turn of the blended carrier from one canonical time to another; examples' differences are summed,
// so that 32 bits are enough
HD float gone_by(Turn by, Turn a0, Turn b0, float f0, Turn a1, Turn b1, float f1) {
    float w = a1.w - a0.w + f1 * (b1.w - a1.w) - f0 * (b0.w - a0.w), x = a1.x - a0.x + f1 * (b1.x - a1.x) - f0 * (b0.x - a0.x);
    float y = a1.y - a0.y + f1 * (b1.y - a1.y) - f0 * (b0.y - a0.y), z = a1.z - a0.z + f1 * (b1.z - a1.z) - f0 * (b0.z - a0.z);
    return by.w * w + by.x * x + by.y * y + by.z * z;
}
RARE void travel(const World &w, int k, const float *weights, double t0, double t1, double out[3]) {
    double f0, f1;
    int g0 = cell_of(t0, w.m_cells[k], f0), g1 = cell_of(t1, w.m_cells[k], f1), count = w.m_count[k];
    const float *from = w.m_travel + (size_t)(w.m_first_mean[k] + g0) * 3 * EXAMPLES;
    const float *to = w.m_travel + (size_t)(w.m_first_mean[k] + g1) * 3 * EXAMPLES;
    float gone[3] = {0.0f, 0.0f, 0.0f};
    ROLL for (int e = 0; e < count; e += 4) {
        Turn by = four(weights + e);
        UNROLL for (int i = 0; i < 3; i++) {
            const float *a = from + i * EXAMPLES + e, *b = to + i * EXAMPLES + e;
            gone[i] += gone_by(by, four(a), four(a + 3 * EXAMPLES), (float)f0, four(b), four(b + 3 * EXAMPLES), (float)f1);
        }
    }
    for (int i = 0; i < 3; i++) out[i] = gone[i];
}
// one joint of motion k at a cell, or the root's sway where j is JP, from its summed rotation vector
HD Turn mean_at(const World &w, int grid, int j) {
    const float *a = w.m_mean + (size_t)grid * 4 * JP + j;
    return turn_of(a[0], a[JP], a[2 * JP], a[3 * JP]);
}
HD Turn mean_turned(Turn a, Turn b, float f, int j, float x, float y, float z) {
    if (j == JP) return turn_of(0.0f, x, y, z);
    Turn m = turn_of(a.w + f * (b.w - a.w), a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), a.z + f * (b.z - a.z));
    return unit(turned(m, x, y, z));
}
RARE Turn sample_joint(const World &w, int k, double t, const float *weights, int j) {
    double f;
    int g = cell_of(t, w.m_cells[k], f), count = w.m_count[k];
    int first = j < JP ? j : 3 * JP, step = j < JP ? JP : 1;
    const float *row = w.m_rows + (size_t)(w.m_first_row[k] + g * count) * ROW + first;
    float before = (float)(1.0 - f), after = (float)f, x = 0.0f, y = 0.0f, z = 0.0f;
    FEW for (int i = 0; i < 2 * count; i++, row += ROW) {
        float by = i < count ? weights[i] * before : weights[i - count] * after;
        x += by * row[0]; y += by * row[step]; z += by * row[2 * step];
    }
    int grid = w.m_first_mean[k] + g, at = j < JP ? j : 0;
    return mean_turned(mean_at(w, grid, at), mean_at(w, grid + 1, at), after, j, x, y, z);
}
HD double moment(double t, bool is_loop) { return is_loop ? t - floor(t) : within(t, 0.0, 1.0); }
// the canonical time of motion k some seconds before t, through stretches that each have their own rate
RARE double earlier(const World &w, int k, const float *weights, double t, double seconds) {
    int pieces = w.m_pieces[k];
    double y = t * pieces, left = seconds;
    for (bool goes_on = true; goes_on;) {
        if (y <= 0.0) {
            if (!w.m_loops[k]) return 0.0;
            y += pieces;
        }
        int m = (int)ceil(y) - 1;
        double rate = pieces * blended_rate(w, weights, k, m);
        goes_on = left * rate > y - m;
        double gone = (y - m) / rate;
        y = goes_on ? (double)m : y - left * rate;
        left -= gone;
    }
    return moment(y / pieces, w.m_loops[k]);
}

// what a character's two layers show `back` seconds before now, on its carrier; j JP: the root's sway
RARE Turn shown_joint(const Me &me, double back, int j) {
    const World &w = me.w;
    float share = me.share();
    bool two = me.layers() == 2 && share < 1.0f;
    Turn q[2];
    ROLL for (int v = 0; v < (two ? 2 : 1); v++) {
        int k = me.motion(v);
        double t = me.t(v);
        if (back != 0.0) t = earlier(w, k, me.weights() + v * EXAMPLES, t, back);
        q[v] = sample_joint(w, k, t, me.weights() + v * EXAMPLES, j);
    }
    if (!two) return q[0];
    float rest = 1.0f - share;
    if (j < JP) return between(q[0], q[1], rest);
    return turn_of(0.0f, share * q[0].x + rest * q[1].x, share * q[0].y + rest * q[1].y, share * q[0].z + rest * q[1].z);
}
