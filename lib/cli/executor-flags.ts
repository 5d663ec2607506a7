// Options that `exec` and `mcp` share, as words. Apart from executor-options.ts, so that naming them loads nothing.

export const EXECUTOR_HELP = `  --policy FILE       rules as JSON: {"rules": [...], "otherwise": "allow|ask|deny", "roots": [...], "outside": ...}
  --allow-all         no policy: whatever is asked for is run
  --audit FILE        append a record of every decision and end (JSON lines)
  --shell ID|PATH     reads command lines (default: this machine's default shell, see argv-spawn shells)
  --workdir FOLDER    where requests without workdir run, and relative ones start
  --recover-workdir   use the nearest existing parent of a workdir that is gone
  --timeout MS        for requests without one
  --max-timeout MS    no request gets more
  --max-stdin BYTES   longest literal stdin (default 1 MiB)
  --max-buffer BYTES  kept of each output
`;

export const EXECUTOR_OPTIONS = {
  policy: { type: 'string' },
  'allow-all': { type: 'boolean' },
  audit: { type: 'string' },
  shell: { type: 'string' },
  workdir: { type: 'string' },
  'recover-workdir': { type: 'boolean' },
  timeout: { type: 'string' },
  'max-timeout': { type: 'string' },
  'max-stdin': { type: 'string' },
  'max-buffer': { type: 'string' },
} as const;
