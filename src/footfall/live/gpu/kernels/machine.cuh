// What a device's compiler and a plain C++ compiler call differently. L lanes work on one character together: 32 of a
// warp, or 1. RARE: not inlined, which keeps the kernels small and quick to compile.

#ifdef __CUDACC__
#define GPU 1
#define HD __device__ __forceinline__
#define RARE static __device__ __noinline__
#define INSIDE __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#ifdef __CUDACC_RTC__
typedef unsigned long size_t;
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#endif
#else
#include <math.h>
#include <stddef.h>
#define HD static inline
#define RARE static
#define INSIDE inline
#define UNROLL
#endif

struct Turn;  // a rotation, f32
#ifdef GPU
struct __align__(16) Turn { float w, x, y, z; };
HD int claim(int *count) { return atomicAdd(count, 1); }
template <int L> HD void together() { if (L > 1) __syncwarp(); }
template <int L> HD double sum_lanes(double x) {
    if (L > 1) for (int i = 16; i; i /= 2) x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}
template <int L, class T> HD T from_first(T x) { return L > 1 ? __shfl_sync(0xffffffffu, x, 0) : x; }
#else
struct Turn { float w, x, y, z; };
HD int claim(int *count) { return (*count)++; }
template <int L> HD void together() {}
template <int L> HD double sum_lanes(double x) { return x; }
template <int L, class T> HD T from_first(T x) { return x; }
#endif

struct Heavy { int n, stage, kind, k, flagged; };
struct Late { int n; double left, x, z, heading; };
struct Step { double dt, keep, lift_e, fade_e, settle_e, shift_e; int lock; };
