/** ln(e^a + e^b). */
export function addLogs(a: number, b: number): number {
  const [high, low] = a > b ? [a, b] : [b, a];
  return high === Number.NEGATIVE_INFINITY ? high : high + Math.log1p(Math.exp(low - high));
}
