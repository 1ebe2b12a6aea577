/* What one core can do at most: multiply-adds on the widest vectors that the compiler
 * knows this machine to have (-march=native), and reading memory. */

#if defined(__AVX512F__)
#define LANES 16
#define SUMS 24 /* Of 32 registers. */
#define NAME "AVX-512"
#elif defined(__AVX2__) && defined(__FMA__)
#define LANES 8
#define SUMS 12 /* Of 16 registers. */
#define NAME "AVX2 with FMA"
#elif defined(__AVX__)
#define LANES 8
#define SUMS 12
#define NAME "AVX, multiply and add"
#elif defined(__aarch64__)
#define LANES 4
#define SUMS 24
#define NAME "128-bit NEON"
#else
#define LANES 4
#define SUMS 12
#define NAME "128-bit vectors, whatever multiplies and adds them"
#endif

typedef float Vector __attribute__((vector_size(4 * LANES)));
typedef float Unaligned __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

const char *peak_name(void) { return NAME; }

/* Floating-point operations of one call with `steps` steps. */
double peak_flops(long steps) { return (double)steps * SUMS * LANES * 2; }

static float total(const Vector *sums, int count) {
  float result = 0;
  for (int i = 0; i < count; ++i)
    for (int lane = 0; lane < LANES; ++lane)
      result += sums[i][lane];
  return result;
}

/* The sums are as many as hide the latency of an addition; what is returned keeps the
 * compiler from dropping them. */
float peak_run(long steps) {
  Vector sums[SUMS], x = {}, y = {};
  x += 1e-9f;
  y += 0.999f;
#pragma GCC unroll 32
  for (int i = 0; i < SUMS; ++i)
    sums[i] = x + (float)i;
  for (long step = 0; step < steps; ++step)
#pragma GCC unroll 32
    for (int i = 0; i < SUMS; ++i)
      sums[i] = sums[i] * y + x;
  return total(sums, SUMS);
}

/* Reads `count` floats `times` times; those behind the last whole 8 vectors stay unread. */
float peak_read(const float *data, long count, long times) {
  Vector sums[8] = {};
  for (; times > 0; --times)
    for (long at = 0; at + 8 * LANES <= count; at += 8 * LANES)
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i)
        sums[i] += *(const Unaligned *)(data + at + i * LANES);
  return total(sums, 8);
}
