// How a value is shown inside an error message: short, on one line, control characters visible.

const LONGEST = 80;

/** Quoted, with every control character escaped: `"/bin/sh\r"`. */
export function quoteVisibly(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (character) => {
    return '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0');
  });
}

/** A value that was not accepted: its type, and the value itself when that is short. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > LONGEST ? `a string of ${value.length} characters` : quoteVisibly(value);
  }
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return `a ${typeof value}`;
}
