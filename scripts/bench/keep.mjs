// Keeping the beginning or the end of a stream, written as one would by hand: what contenders without it are given.

export function heads(limit) {
  const chunks = [];
  let bytes = 0;
  let kept = 0;
  return {
    add(chunk) {
      bytes += chunk.length;
      if (kept >= limit) return;
      // A copy, so that a small part does not keep its whole chunk.
      const part = Buffer.from(chunk.subarray(0, limit - kept));
      chunks.push(part);
      kept += part.length;
    },
    result: () => ({ bytes, kept: Buffer.concat(chunks).length }),
  };
}

export function tails(limit) {
  let chunks = [];
  let bytes = 0;
  let held = 0;
  return {
    add(chunk) {
      bytes += chunk.length;
      chunks.push(chunk);
      held += chunk.length;
      while (held - chunks[0].length >= limit) held -= chunks.shift().length;
    },
    result: () => ({ bytes, kept: Buffer.concat(chunks).subarray(-limit).length }),
  };
}
