// From zod's findings to ours: a path people can read, and one entry per unknown key.

import type { z } from 'zod';
import { describeValue } from '../util/describe.ts';
import type { Issue } from './errors.ts';

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** `explainKey` completes "<key> ..." for a key that does not belong. */
export function listIssues(error: z.ZodError, explainKey: (key: string) => string): Issue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: formatPath(issue.path), message: issue.message }];
    return issue.keys.map((key) => ({ path: formatPath([...issue.path, key]), message: explainKey(key) }));
  });
}

/**
 * A zod message: "is required: ..." or "must be ...". Text is described by its length alone, because the value at
 * fault may be what must not be shown.
 */
export function mustBe(expected: string): { error: (issue: { readonly input?: unknown }) => string } {
  return {
    error: ({ input }) => {
      if (input === undefined) return `is required: ${expected}`;
      return `must be ${expected}, got ${typeof input === 'string' ? describeText(input) : describeValue(input)}`;
    },
  };
}

export function describeText(text: string): string {
  return text === '' ? 'an empty string' : `a string of ${text.length} characters`;
}
