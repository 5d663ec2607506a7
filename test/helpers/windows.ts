// Looking at processes on Windows.

/** A process handle can be opened as long as the process runs, or someone still holds it: the latter is nobody here. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether this is Wine: it gives every process a variable that Windows does not have. */
export const IS_WINE: boolean = process.env['WINEPREFIX'] !== undefined || process.env['WINELOADER'] !== undefined;
