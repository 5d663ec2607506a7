// What the agent layer bounds by itself. Everything about how a program runs is in command/options.ts.

export const LIMITS: Readonly<Record<'stdinBytes' | 'backgroundBytes' | 'backgroundRuns', number>> = {
  /** Bytes of literal stdin. */
  stdinBytes: 1_048_576,
  /** Bytes that a background run keeps of each stream until they are read. */
  backgroundBytes: 1_048_576,
  /** Background runs that are remembered; the longest finished ones are forgotten first. */
  backgroundRuns: 64,
};
