// The kernels of one step: clear and hear; then, beside each other, decide, decide_blocks and go_told for those with
// something to decide, go_edges for those on an edge, go for all others; then go_warps, scan, scatter, blend, mix and
// pose. Items of the blend (a character's layer) are sorted by the cell of the grid they read, so that a warp reads its
// rows once for all of CHUNK items. `blend_each` reads every layer's rows by itself: for comparison, no part of a step.

HD void sorted_in(const World &w, int n) {
    Me me = {w, n};
    bool two = me.layers() == 2 && me.share() < 1.0f;
    for (int v = 0; v < 2; v++) {
        int bin = -1;
        if (v == 0 || two) {
            double f;
            int k = me.motion(v);
            bin = w.m_first_mean[k] + cell_of(me.t(v), w.m_cells[k], f);
            w.b_rank[(size_t)v * w.n + n] = claim(w.b_count + bin);
        }
        w.b_bin[(size_t)v * w.n + n] = bin;
    }
}
// parameters, weights, clock and root of one character
HD void go_one(const World &w, int n, const Step &s) {
    Me me = {w, n};
    ROLL for (int v = me.phase() == LEAVING ? 1 : 0; v < me.layers(); v++) steer(me, v, s);
    double x = me.root(0), z = me.root(1), heading = me.root(2), left = s.dt;
    if (advance(me, left)) {
        Late item = {n, left, x, z, heading};
        w.l_late[claim(w.l_late_count)] = item;
        return;
    }
    finish_clock(me, s, x, z, heading);
    sorted_in(w, n);
}
template <int L> HD void go_late(const World &w, Late item, const Step &s, Room &room, int lane) {
    Me me = {w, item.n};
    int late = 1;
    double left = item.left;
    while (late) {
        show<L>(me, room, lane);
        if (lane == 0) { stay(me); me.rate(0) = rate_at(me, me.motion(0), me.t(0)); }  // on a key time: the next one's
        together<L>();
        begin_offset<L>(me, room, lane);
        if (lane == 0) late = left > 0.0 && advance(me, left);
        late = from_first<L>(late);
    }
    if (lane == 0) {
        finish_clock(me, s, item.x, item.z, item.heading);
        sorted_in(w, item.n);
    }
    together<L>();
}
HD Turn *layer_out(const World &w, int n, int v, int j) {
    if (j == JP) return (v == 0 ? w.o_sway : w.o_sway_1) + n;
    return (v == 0 ? w.o_rot : w.o_rot_1) + (size_t)n * JOINTS + j;
}
HD void sample_layer(const World &w, int n, int v, int j) {
    Me me = {w, n};
    if (v == 1 && !(me.layers() == 2 && me.share() < 1.0f)) return;
    if (j >= JOINTS && j < JP) return;
    *layer_out(w, n, v, j) = sample_joint(w, me.motion(v), me.t(v), me.weights() + v * EXAMPLES, j);
}

HD void feel_layer(const World &w, int n, int v) {
    Me me = {w, n};
    w.o_feet[(size_t)v * w.n + n] = contacts(w, me.motion(v), me.weights() + v * EXAMPLES, me.t(v), LIVE_EASE_S * me.rate(v));
}

#ifdef GPU
#define EACH int n = blockIdx.x * blockDim.x + threadIdx.x; if (n >= w.n) return;

extern "C" __global__ void clear(const __grid_constant__ World w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BINS) w.b_count[i] = 0;
    if (i == 0) { *w.l_told_count = 0; *w.l_heavy_count = 0; *w.l_edge_count = 0; *w.l_late_count = 0; }
}
extern "C" __global__ void settle(const __grid_constant__ World w) { EACH weigh({w, n}, 0); }
extern "C" __global__ void wander(const __grid_constant__ World w, const __grid_constant__ Wander a) { EACH wander_one(w, n, a); }
extern "C" __global__ void hear(const __grid_constant__ World w) { EACH hear_one(w, n); }
extern "C" __global__ void __launch_bounds__(128) decide(const __grid_constant__ World w) {
    int count = *w.l_told_count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) decide_one(w, w.l_told[i]);
}
extern "C" __global__ void __launch_bounds__(32 * HEAVY_WARPS) decide_blocks(const __grid_constant__ World w) {
    __shared__ Room room;
    int count = *w.l_heavy_count;
    for (int i = blockIdx.x; i < count; i += gridDim.x) decide_heavy<32 * HEAVY_WARPS>(w, w.l_heavy[i], room, threadIdx.x);
}
extern "C" __global__ void __launch_bounds__(128, GO_BLOCKS) go(const __grid_constant__ World w, const __grid_constant__ Step s) {
    EACH
    if (w.l_kind[n] == PLAIN) go_one(w, n, s);
}
extern "C" __global__ void __launch_bounds__(128, GO_BLOCKS) go_told(const __grid_constant__ World w, const __grid_constant__ Step s) {
    int count = *w.l_told_count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) go_one(w, w.l_told[i].n, s);
}
// those on an edge, or that leave or enter, by themselves: in a warp with others all would wait for them
extern "C" __global__ void __launch_bounds__(128, GO_BLOCKS) go_edges(const __grid_constant__ World w, const __grid_constant__ Step s) {
    int count = *w.l_edge_count;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) go_one(w, w.l_edge[i], s);
}
extern "C" __global__ void __launch_bounds__(128) go_warps(const __grid_constant__ World w, const __grid_constant__ Step s) {
    __shared__ Room rooms[4];
    int warp = threadIdx.x / 32, count = *w.l_late_count;
    for (int i = blockIdx.x * 4 + warp; i < count; i += gridDim.x * 4)
        go_late<32>(w, w.l_late[i], s, rooms[warp], threadIdx.x % 32);
}
// one block: where every bin's chunks begin, and how many there are
extern "C" __global__ void __launch_bounds__(1024) scan(const __grid_constant__ World w) {
    __shared__ int sums[1024];
    int each = (BINS + 1023) / 1024, first = threadIdx.x * each, total = 0;
    for (int i = first; i < first + each && i < BINS; i++) total += (w.b_count[i] + CHUNK - 1) / CHUNK;
    sums[threadIdx.x] = total;
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        int more = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += more;
        __syncthreads();
    }
    int at = sums[threadIdx.x] - total;
    for (int i = first; i < first + each && i < BINS; i++) {
        w.b_first[i] = at;
        at += (w.b_count[i] + CHUNK - 1) / CHUNK;
    }
    if (threadIdx.x == 1023) *w.b_chunks = sums[1023];
}
extern "C" __global__ void scatter(const __grid_constant__ World w) {
    EACH
    for (int v = 0; v < 2; v++) {
        int bin = w.b_bin[(size_t)v * w.n + n];
        if (bin >= 0) w.b_items[(size_t)w.b_first[bin] * CHUNK + w.b_rank[(size_t)v * w.n + n]] = 2 * n + v;
    }
}
// contacts of a chunk's items: a lane each border of a span, and its neighbour the other
HD void blend_contacts(const World &w, int k, int mine, int filled, float (*by)[CHUNK], float *sums, int lane) {
    int count = w.m_count[k], bits = 0;
    double t = w.r_t[(size_t)(mine & 1) * w.n + mine / 2], ahead = LIVE_EASE_S * w.r_rate[(size_t)(mine & 1) * w.n + mine / 2];
    for (int c0 = 0; c0 < 8 * SPANS; c0 += 32) {
        int border = c0 + lane;
        bool works = lane % 2 == 0 && border < 8 * SPANS;
        const float *row = w.m_spans + (size_t)k * EXAMPLES * 8 * SPANS + (border < 8 * SPANS ? border : 0);
        float sum[CHUNK];
        UNROLL for (int c = 0; c < CHUNK; c++) sum[c] = 0.0f;
        for (int e = 0; e < count; e++) {
            float at = row[e * 8 * SPANS];
            UNROLL for (int c = 0; c < CHUNK; c++) sum[c] += (by[e][c] + by[count + e][c]) * at;
        }
        UNROLL for (int c = 0; c < CHUNK; c++) sums[96 * c] = sum[c];
#pragma unroll 1
        for (int c = 0; c < filled; c++) {
            float start = sums[96 * c], end = __shfl_down_sync(0xffffffffu, start, 1);
            double now = __shfl_sync(0xffffffffu, t, c), soon = __shfl_sync(0xffffffffu, ahead, c);
            int found = works ? contact_bits(start, end, now, soon, w.m_loops[k], border / (2 * SPANS)) : 0;
            found = __reduce_or_sync(0xffffffffu, found);
            if (lane == c) bits |= found;
        }
    }
    if (lane < filled) w.o_feet[(size_t)(mine & 1) * w.n + mine / 2] = bits;
}
extern "C" __global__ void __launch_bounds__(128) blend(const __grid_constant__ World w) {
    __shared__ __align__(16) float factors[4][2 * EXAMPLES][CHUNK];
    __shared__ float sums[4][CHUNK][3][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, chunks = *w.b_chunks;
    float(*by)[CHUNK] = factors[warp];
    for (int chunk = blockIdx.x * 4 + warp; chunk < chunks; chunk += gridDim.x * 4) {
        const int *items = w.b_items + (size_t)chunk * CHUNK;
        int n0 = items[0] / 2, v0 = items[0] & 1, bin = w.b_bin[(size_t)v0 * w.n + n0];
        int filled = min(CHUNK, w.b_count[bin] - (chunk - w.b_first[bin]) * CHUNK);
        int k = w.r_motion[(size_t)v0 * w.n + n0], count = w.m_count[k], g = bin - w.m_first_mean[k];
        int mine = lane < filled ? items[lane] : items[0];
        double share;
        cell_of(w.r_t[(size_t)(mine & 1) * w.n + mine / 2], w.m_cells[k], share);
        __syncwarp();
        UNROLL for (int c = 0; c < CHUNK; c++) {
            int item = __shfl_sync(0xffffffffu, mine, c);
            double f = __shfl_sync(0xffffffffu, share, c);
            for (int e = lane; e < count; e += 32) {
                float weight = w.r_weights[((size_t)(item / 2) * 2 + (item & 1)) * EXAMPLES + e];
                by[e][c] = weight * (float)(1.0 - f);
                by[count + e][c] = weight * (float)f;
            }
        }
        __syncwarp();
        UNROLL for (int j0 = 0; j0 <= JP; j0 += 32) {
            int j = j0 + lane, first = j < JP ? j : 3 * JP, step = j < JP ? JP : 1;
            bool works = j <= JP && (j < JOINTS || j == JP);
            const float *row = w.m_rows + (size_t)(w.m_first_row[k] + g * count) * ROW + (works ? first : 0);
            float x[CHUNK], y[CHUNK], z[CHUNK];
            UNROLL for (int c = 0; c < CHUNK; c++) x[c] = y[c] = z[c] = 0.0f;
#pragma unroll 4
            for (int i = 0; i < 2 * count; i++, row += ROW) {
                float rx = row[0], ry = row[step], rz = row[2 * step];
                UNROLL for (int c = 0; c < CHUNK; c++) {
                    float b = by[i][c];
                    x[c] += b * rx; y[c] += b * ry; z[c] += b * rz;
                }
            }
            Turn before = mean_at(w, bin, j < JP ? j : 0), after = mean_at(w, bin + 1, j < JP ? j : 0);
            UNROLL for (int c = 0; c < CHUNK; c++) { sums[warp][c][0][lane] = x[c]; sums[warp][c][1][lane] = y[c]; sums[warp][c][2][lane] = z[c]; }
#pragma unroll 1
            for (int c = 0; c < filled; c++) {  // not unrolled: eight times this would not fit the cache of instructions
                int item = __shfl_sync(0xffffffffu, mine, c);
                float f = (float)__shfl_sync(0xffffffffu, share, c), *v = &sums[warp][c][0][lane];
                if (works) *layer_out(w, item / 2, item & 1, j) = mean_turned(before, after, f, j, v[0], v[32], v[64]);
            }
        }
        blend_contacts(w, k, mine, filled, by, &sums[warp][0][0][lane], lane);
        __syncwarp();
    }
}
extern "C" __global__ void __launch_bounds__(128) blend_each(const __grid_constant__ World w) {
    int n = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (n >= w.n) return;
    for (int v = 0; v < 2; v++)
        for (int j = threadIdx.x % 32; j <= JP; j += 32) sample_layer(w, n, v, j);
}
extern "C" __global__ void __launch_bounds__(256) mix(const __grid_constant__ World w) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)w.n * (JOINTS + 1)) mix_one(w, (int)(i / (JOINTS + 1)), (int)(i % (JOINTS + 1)));
}
extern "C" __global__ void __launch_bounds__(POSE_THREADS, POSE_BLOCKS) pose(const __grid_constant__ World w, const __grid_constant__ Step s) { EACH pose_one(w, n, s); }
#else
extern "C" void settle(const World *world) {
    for (int n = 0; n < world->n; n++) weigh({*world, n}, 0);
}
extern "C" void wander(const World *world, const Wander *a) {
    for (int n = 0; n < world->n; n++) wander_one(*world, n, *a);
}
extern "C" void step(const World *world, const Step *given) {
    const World &w = *world;
    const Step &s = *given;
    Room room;
    for (int i = 0; i < BINS; i++) w.b_count[i] = 0;
    *w.l_told_count = *w.l_heavy_count = *w.l_edge_count = *w.l_late_count = 0;
    for (int n = 0; n < w.n; n++) hear_one(w, n);
    for (int i = 0; i < *w.l_told_count; i++) decide_one(w, w.l_told[i]);
    for (int i = 0; i < *w.l_heavy_count; i++) decide_heavy<1>(w, w.l_heavy[i], room, 0);
    for (int n = 0; n < w.n; n++) go_one(w, n, s);
    for (int i = 0; i < *w.l_late_count; i++) go_late<1>(w, w.l_late[i], s, room, 0);
    for (int n = 0; n < w.n; n++)
        for (int v = 0; v < 2; v++) {
            for (int j = 0; j <= JP; j++) sample_layer(w, n, v, j);
            feel_layer(w, n, v);
        }
    for (int n = 0; n < w.n; n++)
        for (int j = 0; j <= JOINTS; j++) mix_one(w, n, j);
    for (int n = 0; n < w.n; n++) pose_one(w, n, s);
}
#endif
