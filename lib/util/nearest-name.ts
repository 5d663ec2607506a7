// "Did you mean": the closest of a list of names, for errors about names that do not exist.

/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
function countEdits(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The most similar of `names`, or undefined when none is close enough to be what was meant. */
export function findNearestName(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestEdits = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const edits = countEdits(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}
