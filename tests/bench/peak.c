/* Fused multiply-adds on AVX2 registers, as many at a time as hide their latency. */

#include <immintrin.h>

/* Floating-point operations of one call with `steps` steps; the sum keeps them. */
double peak_flops(long steps) { return (double)steps * 12 * 8 * 2; }

float peak_run(long steps) {
  __m256 sums[12], x = _mm256_set1_ps(1e-9f), y = _mm256_set1_ps(0.999f);
  for (int i = 0; i < 12; ++i)
    sums[i] = _mm256_set1_ps((float)i);
  for (long step = 0; step < steps; ++step)
    for (int i = 0; i < 12; ++i)
      sums[i] = _mm256_fmadd_ps(sums[i], y, x);
  __m256 total = sums[0];
  for (int i = 1; i < 12; ++i)
    total = _mm256_add_ps(total, sums[i]);
  float lanes[8];
  _mm256_storeu_ps(lanes, total);
  return lanes[0] + lanes[7];
}
