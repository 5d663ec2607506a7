// How a value is shown inside an error message: short, on one line, control characters visible.

const LONGEST = 80;

const SEEN = /^[ -~]*$/;

let invisible: RegExp | undefined;
let everyInvisible: RegExp | undefined;

/**
 * Characters that show nothing, or change how others show: controls, format characters (direction marks, zero width),
 * separators and spaces other than the ordinary one, fillers, private use, half pairs, noncharacters.
 *
 * Made when it is needed: the tables behind it take as long as a third of all else that an import does.
 */
export function getInvisible(): RegExp {
  invisible ??= new RegExp(
    String.raw`(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]`,
    'u',
  );
  return invisible;
}

export function hasInvisible(text: string): boolean {
  return !SEEN.test(text) && getInvisible().test(text);
}

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** Quoted, with every character escaped that would not be seen: `"/bin/sh\r"`. */
export function quoteVisibly(text: string): string {
  const quoted = JSON.stringify(text);
  if (!hasInvisible(quoted)) return quoted;
  everyInvisible ??= new RegExp(getInvisible(), 'gu');
  return quoted.replace(everyInvisible, escapeUnits);
}

/**
 * An object with names and values, of whatever realm or class. Not a Map, a promise, an array or another thing whose own
 * properties are not its content: taking one of those for an empty record would ignore what the caller meant.
 */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return (
    Object.getPrototypeOf(value) === Object.prototype || Object.prototype.toString.call(value) === '[object Object]'
  );
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
