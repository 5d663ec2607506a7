// Words that only one call of one test has in its command lines, so that its processes can be looked for.

let next = 0;

/** A word for the command line of a fixture. */
export function makeMark(): string {
  return `mark-${process.pid}-${next++}-`;
}

/** The same as a number of seconds, for `sleep`; long enough that it never ends by itself. */
export function makeSpan(): string {
  return `${20_000 + next++}.${process.pid}`;
}
