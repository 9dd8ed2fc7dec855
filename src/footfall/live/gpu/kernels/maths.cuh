// Small numbers: quaternions w, x, y, z and vectors, and minima as Python has them (the first of two equals).
// FEET is the precision of legs and feet; everything else has that of the rows.

template <class T> HD T lo(T a, T b) { return b < a ? b : a; }
template <class T> HD T hi(T a, T b) { return b > a ? b : a; }
HD double within(double x, double a, double b) { return lo(hi(x, a), b); }

struct Vec { FEET x, y, z; };
struct Quat { FEET w, x, y, z; };

HD Vec vec(FEET x, FEET y, FEET z) { Vec v = {x, y, z}; return v; }
HD Quat quat(FEET w, FEET x, FEET y, FEET z) { Quat q = {w, x, y, z}; return q; }
HD FEET &part_of(Vec &v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
HD FEET part_of(const Vec &v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
HD FEET dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HD FEET size_of(Vec a) { return sqrt(dot(a, a)); }
HD Vec minus(Vec a, Vec b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
HD Vec scaled(Vec a, FEET s) { return vec(s * a.x, s * a.y, s * a.z); }
HD Vec add_scaled(Vec a, Vec b, FEET s) { return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
HD Vec cross(Vec a, Vec b) { return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
HD Quat conjugate(Quat q) { return quat(q.w, -q.x, -q.y, -q.z); }
HD Quat multiply(Quat a, Quat b) {
    return quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
HD Vec rotate(Quat q, Vec v) {
    FEET tx = 2 * (q.y * v.z - q.z * v.y), ty = 2 * (q.z * v.x - q.x * v.z), tz = 2 * (q.x * v.y - q.y * v.x);
    return vec(v.x + q.w * tx + (q.y * tz - q.z * ty), v.y + q.w * ty + (q.z * tx - q.x * tz),
               v.z + q.w * tz + (q.x * ty - q.y * tx));
}

// f32 rotations of whole poses
HD float cosine(float s) {
    float low = COS(0) + s * (COS(1) + s * (COS(2) + s * COS(3))), s4 = (s * s) * (s * s);
    return low + s4 * (COS(4) + s * (COS(5) + s * (COS(6) + s * COS(7))));
}
HD float sinc(float s) {
    float low = SINC(0) + s * (SINC(1) + s * (SINC(2) + s * SINC(3))), s4 = (s * s) * (s * s);
    return low + s4 * (SINC(4) + s * (SINC(5) + s * (SINC(6) + s * SINC(7))));
}
HD float logarithm(float x) {
    float low = LOG(0) + x * (LOG(1) + x * (LOG(2) + x * (LOG(3) + x * LOG(4)))), x5 = x * (x * x) * (x * x);
    return low + x5 * (LOG(5) + x * (LOG(6) + x * (LOG(7) + x * (LOG(8) + x * LOG(9)))));
}
HD Turn turn_of(float w, float x, float y, float z) { Turn q; q.w = w; q.x = x; q.y = y; q.z = z; return q; }
HD Turn times(Turn m, float c, float x, float y, float z) {
    return turn_of(m.w * c - m.x * x - m.y * y - m.z * z, m.w * x + m.x * c + m.y * z - m.z * y,
                   m.w * y - m.x * z + m.y * c + m.z * x, m.w * z + m.x * y - m.y * x + m.z * c);
}
HD Turn unit(Turn q) {
    float n = 1.0f / sqrtf(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return turn_of(q.w * n, q.x * n, q.y * n, q.z * n);
}
// q turned by a rotation vector in its own frame
HD Turn turned(Turn q, float x, float y, float z) {
    float s = lo(0.25f * (x * x + y * y + z * z), FARTHEST), k = 0.5f * sinc(s);
    return times(q, cosine(s), k * x, k * y, k * z);
}
// half the rotation vector from a to b, the shorter way
HD void half_way(Turn a, Turn b, float far, float out[3]) {
    float dw = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    float dx = a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y, dy = a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x;
    float dz = a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w;
    float k = far * logarithm(1.0f - lo(fabsf(dw), 1.0f)) * (dw >= 0.0f ? 1.0f : -1.0f);
    out[0] = k * dx; out[1] = k * dy; out[2] = k * dz;
}
HD Turn between(Turn a, Turn b, float far) {
    float v[3];
    half_way(a, b, far, v);
    float s = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], k = sinc(s);
    return unit(times(a, cosine(s), k * v[0], k * v[1], k * v[2]));
}
