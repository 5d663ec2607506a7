// A word that only one call of one test has in its command lines, so that its processes can be looked for. For `sleep`:
// span.ts.

let next = 0;

/** A word for the command line of a fixture. */
export function makeMark(): string {
  return `mark-${process.pid}-${next++}-`;
}
