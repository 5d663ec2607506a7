// An argument for `sleep` that nobody else uses, so that the process can be looked for.

let next = 0;

/** About `seconds`; unique on this machine as long as this process lives. */
export function uniqueSpan(seconds = 60): string {
  next++;
  return `${seconds}.${String(process.pid).padStart(8, '0')}${String(next).padStart(4, '0')}`;
}
