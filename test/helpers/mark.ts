// A word that only one call of one test has in its command lines, so that its processes can be looked for. For `sleep`:
// span.ts.

let next = 0;

/** An argument for a fixture that has no use for it. */
export function makeMark(): string {
  return `mark-${process.pid}-${next++}-`;
}
