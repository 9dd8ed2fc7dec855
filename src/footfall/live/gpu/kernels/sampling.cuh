// Sampling of packed motions: clock, travel and poses (parametric/sampling.py).

HD double blended_rate(const World &w, const float *weights, int k, int m) {
    const double *logs = w.m_log_rates + ((size_t)k * PIECES + m) * EXAMPLES, *bounds = w.m_bounds + (k * PIECES + m) * 2;
    double total = 0.0;
    int count = w.m_count[k];
    for (int e = 0; e < count; e++) total += weights[e] * logs[e];
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
RARE void travel_at(const World &w, int k, const float *weights, double t, double out[3]) {
    double f;
    int g = cell_of(t, w.m_cells[k], f), count = w.m_count[k];
    const double *a = w.m_travel + (size_t)(w.m_first_mean[k] + g) * 3 * EXAMPLES, *b = a + 3 * EXAMPLES;
    double x = 0.0, y = 0.0, z = 0.0;
    for (int e = 0; e < count; e++) {
        double weight = weights[e];
        x += weight * (a[e] + f * (b[e] - a[e]));
        y += weight * (a[EXAMPLES + e] + f * (b[EXAMPLES + e] - a[EXAMPLES + e]));
        z += weight * (a[2 * EXAMPLES + e] + f * (b[2 * EXAMPLES + e] - a[2 * EXAMPLES + e]));
    }
    out[0] = x; out[1] = y; out[2] = z;
}
// one joint of motion k at a cell, or the root's sway where j is JP, from its summed rotation vector
HD Turn mean_turned(const World &w, int grid, float f, int j, float x, float y, float z) {
    if (j == JP) return turn_of(0.0f, x, y, z);
    const float *a = w.m_mean + (size_t)grid * 4 * JP + j, *b = a + 4 * JP;
    Turn m = turn_of(a[0] + f * (b[0] - a[0]), a[JP] + f * (b[JP] - a[JP]), a[2 * JP] + f * (b[2 * JP] - a[2 * JP]),
                     a[3 * JP] + f * (b[3 * JP] - a[3 * JP]));
    return unit(turned(m, x, y, z));
}
RARE Turn sample_joint(const World &w, int k, double t, const float *weights, int j) {
    double f;
    int g = cell_of(t, w.m_cells[k], f), count = w.m_count[k];
    int first = j < JP ? j : 3 * JP, step = j < JP ? JP : 1;
    const float *row = w.m_rows + (size_t)(w.m_first_row[k] + g * count) * ROW + first;
    float before = (float)(1.0 - f), after = (float)f, x = 0.0f, y = 0.0f, z = 0.0f;
    for (int i = 0; i < 2 * count; i++, row += ROW) {
        float by = i < count ? weights[i] * before : weights[i - count] * after;
        x += by * row[0]; y += by * row[step]; z += by * row[2 * step];
    }
    return mean_turned(w, w.m_first_mean[k] + g, after, j, x, y, z);
}
HD double moment(double t, bool is_loop) { return is_loop ? t - floor(t) : within(t, 0.0, 1.0); }

// what a character's two layers show `back` seconds before now, on its carrier; j JP: the root's sway
RARE Turn shown_joint(const Me &me, double back, int j) {
    const World &w = me.w;
    float share = me.share();
    bool two = me.layers() == 2 && share < 1.0f;
    Turn q[2];
    for (int v = 0; v < (two ? 2 : 1); v++) {
        int k = me.motion(v);
        double t = me.t(v);
        if (back != 0.0) t = moment(t - back * me.rate(v), w.m_loops[k]);
        q[v] = sample_joint(w, k, t, me.weights() + v * EXAMPLES, j);
    }
    if (!two) return q[0];
    float rest = 1.0f - share;
    if (j < JP) return between(q[0], q[1], rest);
    return turn_of(0.0f, share * q[0].x + rest * q[1].x, share * q[0].y + rest * q[1].y, share * q[0].z + rest * q[1].z);
}
