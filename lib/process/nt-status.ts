// Exit codes that are Windows status values: what ended a program that did not end itself.
//
// No code below 0xC0000000 is one, so other systems never get a name here. 259 (STILL_ACTIVE) is a code like any other.

/** By value, from ntstatus.h. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0xc0000005, 'STATUS_ACCESS_VIOLATION'],
  [0xc0000006, 'STATUS_IN_PAGE_ERROR'],
  [0xc0000008, 'STATUS_INVALID_HANDLE'],
  [0xc000000d, 'STATUS_INVALID_PARAMETER'],
  [0xc0000017, 'STATUS_NO_MEMORY'],
  [0xc000001d, 'STATUS_ILLEGAL_INSTRUCTION'],
  [0xc0000025, 'STATUS_NONCONTINUABLE_EXCEPTION'],
  [0xc000007b, 'STATUS_INVALID_IMAGE_FORMAT'],
  [0xc000008e, 'STATUS_FLOAT_DIVIDE_BY_ZERO'],
  [0xc0000094, 'STATUS_INTEGER_DIVIDE_BY_ZERO'],
  [0xc0000096, 'STATUS_PRIVILEGED_INSTRUCTION'],
  [0xc00000fd, 'STATUS_STACK_OVERFLOW'],
  [0xc0000135, 'STATUS_DLL_NOT_FOUND'],
  [0xc0000138, 'STATUS_ORDINAL_NOT_FOUND'],
  [0xc0000139, 'STATUS_ENTRYPOINT_NOT_FOUND'],
  [0xc000013a, 'STATUS_CONTROL_C_EXIT'],
  [0xc0000142, 'STATUS_DLL_INIT_FAILED'],
  [0xc0000374, 'STATUS_HEAP_CORRUPTION'],
  [0xc0000409, 'STATUS_STACK_BUFFER_OVERRUN'],
  [0xc0000417, 'STATUS_INVALID_CRUNTIME_PARAMETER'],
  [0xc0000420, 'STATUS_ASSERTION_FAILURE'],
]);

/** Name of an exit code that is a known NTSTATUS value, or null. */
export function findNtStatusName(code: number | null): string | null {
  return code === null ? null : (NAMES.get(code) ?? null);
}
