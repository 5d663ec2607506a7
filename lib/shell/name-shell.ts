// From the shell that a request names to an entry of the catalog, for those who scan on behalf of someone else.

import type { ShellRegistry } from './registry.ts';
import type { ScanRequest } from './scan-types.ts';

/** An id of the catalog becomes its entry, and nothing becomes the default; a path stays what it is. */
export function nameShell(
  request: ScanRequest,
  registry: Pick<ShellRegistry, 'getDefaultShell' | 'listShells'>,
): ScanRequest {
  const { shell } = request;
  const mode = request.mode ?? (request.argv ? 'argv' : 'shell');
  if (mode !== 'shell') return request;
  if (shell === undefined || shell === null) {
    const chosen = registry.getDefaultShell();
    return chosen === null ? { ...request, shell_resolution_error: true } : { ...request, shell: chosen };
  }
  const known = registry.listShells().shells.find(({ id }) => id === shell);
  return known === undefined ? request : { ...request, shell: known };
}
