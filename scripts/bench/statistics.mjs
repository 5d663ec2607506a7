// Numbers for tables. One statistic for everything: the median over all samples of all rounds, and how far the medians
// of the rounds lie apart.

export function quantile(samples, q) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

/** @param rounds - one list of samples for each round. */
export function summarize(rounds) {
  const all = rounds.flat();
  const medians = rounds.map((samples) => quantile(samples, 0.5));
  return {
    p50: quantile(all, 0.5),
    p95: quantile(all, 0.95),
    max: Math.max(...all),
    low: Math.min(...medians),
    high: Math.max(...medians),
    rounds: rounds.length,
    samples: all.length,
  };
}

/** Random order, so that no contender always follows the same one. */
export function shuffle(items) {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}

/** Three digits that mean something; nothing in powers of ten. */
export function round(value) {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  return size < 0.001 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** How many times better than `other` a value is: above 1 is better, for times as for rates. */
export const timesBetter = (metric, value, other) => (metric.more ? value / other : other / value);
