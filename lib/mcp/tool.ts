// What a tool of the server is, and how one is made from a schema.

import { z } from 'zod';
import { RequestError } from '../agent/errors.ts';
import type { PlainData } from '../agent/response.ts';
import { listIssues } from '../agent/validation.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** `signal` is aborted when the client cancels or goes away. */
  call(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<PlainData>;
}

/** @throws RequestError with every problem by path. */
export function check<T>(schema: z.ZodType<T>, args: unknown): T {
  const outcome = schema.safeParse(args);
  if (outcome.success) return outcome.data;
  throw new RequestError(listIssues(outcome.error, () => 'is not a known key'));
}

/** `call` gets arguments that the schema has checked. */
export function makeTool<T>(
  name: string,
  description: string,
  schema: z.ZodType<T>,
  call: (args: T) => Promise<PlainData> | PlainData,
): Tool {
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(schema),
    call: async (args) => call(check(schema, args)),
  };
}
