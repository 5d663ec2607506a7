// Errors about what the caller passed: made before anything is started, each naming the field at fault.
//
// They are plain TypeErrors and RangeErrors with Node's codes, so that code which checks `code` keeps working.

import { describeValue } from '../util/describe.ts';

export type OptionErrorCode =
  'ERR_INVALID_ARG_TYPE' | 'ERR_INVALID_ARG_VALUE' | 'ERR_OUT_OF_RANGE' | 'ERR_UNKNOWN_OPTION' | 'ERR_UNKNOWN_SIGNAL';

/** What option errors carry beside their message. */
export interface OptionErrorFields {
  readonly code: OptionErrorCode;
  /** `'timeout'`, `'argv[2]'`, `'env.PATH'`. */
  readonly field: string;
  /** argv index, when one argument is at fault. */
  readonly index?: number;
  /** Offset of the character or byte at fault. */
  readonly offset?: number;
}

export type OptionTypeError = TypeError & OptionErrorFields;
export type OptionRangeError = RangeError & OptionErrorFields;

function addFields<E extends Error>(error: E, fields: OptionErrorFields): E & OptionErrorFields {
  return Object.assign(error, fields);
}

/** `expected` completes "must be ...". */
export function makeTypeError(field: string, expected: string, value: unknown, index?: number): OptionTypeError {
  const message = `${field} must be ${expected}, got ${describeValue(value)}`;
  const fields: OptionErrorFields = { code: 'ERR_INVALID_ARG_TYPE', field, ...(index === undefined ? {} : { index }) };
  return addFields(new TypeError(message), fields);
}

/** A value of the right type that cannot be used. `reason` completes "<field> ...". */
export function makeValueError(
  field: string,
  reason: string,
  place: { index?: number; offset?: number } = {},
): OptionTypeError {
  return addFields(new TypeError(`${field} ${reason}`), { code: 'ERR_INVALID_ARG_VALUE', field, ...place });
}

export function makeRangeError(field: string, expected: string, value: unknown): OptionRangeError {
  const message = `${field} must be ${expected}, got ${describeValue(value)}`;
  return addFields(new RangeError(message), { code: 'ERR_OUT_OF_RANGE', field });
}

export function makeUnknownOptionError(field: string, hint: string): OptionTypeError {
  return addFields(new TypeError(`unknown option ${field}: ${hint}`), { code: 'ERR_UNKNOWN_OPTION', field });
}

export function makeUnknownSignalError(field: string, value: unknown): OptionTypeError {
  const message = `${field} must be a signal name like 'SIGTERM' or its number, got ${describeValue(value)}`;
  return addFields(new TypeError(message), { code: 'ERR_UNKNOWN_SIGNAL', field });
}
