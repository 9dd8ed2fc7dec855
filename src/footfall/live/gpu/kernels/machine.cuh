// What a device's compiler and a plain C++ compiler call differently. L lanes work on one character together: those of
// some warps of one block, of one warp, or 1. RARE: not inlined, and ROLL: not unrolled, which keeps kernels within the
// cache of instructions; where they were not, they waited for instructions most of the time.

#ifdef __CUDACC__
#define GPU 1
#define HD __device__ __forceinline__
#define RARE static __device__ __noinline__
#define INSIDE __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")
#define FEW _Pragma("unroll 4")
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
#define ROLL
#define FEW
#endif

struct Turn;  // a rotation, f32
#ifdef GPU
struct __align__(16) Turn { float w, x, y, z; };
struct __align__(16) Two { double a, b; };
HD int claim(int *count) { return atomicAdd(count, 1); }
template <int L> HD void together() {
    if (L > 32) __syncthreads();
    else if (L > 1) __syncwarp();
}
// over the lanes of a warp
template <int L> HD double sum_lanes(double x) {
    if (L > 1) for (int i = 16; i; i /= 2) x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}
template <int L, class T> HD T from_first(T x) {
    if (L <= 32) return L > 1 ? __shfl_sync(0xffffffffu, x, 0) : x;
    __shared__ T box;
    __syncthreads();
    if (threadIdx.x == 0) box = x;
    __syncthreads();
    return box;
}
#else
struct Turn { float w, x, y, z; };
struct Two { double a, b; };
HD int claim(int *count) { return (*count)++; }
template <int L> HD void together() {}
template <int L> HD double sum_lanes(double x) { return x; }
template <int L, class T> HD T from_first(T x) { return x; }
#endif

// numbers that lie together on a border of 16 bytes
HD Two two(const double *at) { return *(const Two *)at; }
HD Turn four(const float *at) { return *(const Turn *)at; }

struct Told { int n, flagged; };
struct Heavy { int n, stage, kind, k, flagged; };
struct Late { int n; double left, x, z, heading; };
struct Step { double dt, keep, lift_e, fade_e, settle_e, shift_e; int lock; };
struct Wander { double dt, side_m; float slow, fast, low, high, pause_low, pause_high; int home, walk, goals; unsigned seed; };
