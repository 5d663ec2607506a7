// Preloaded beside argv-spawn/register: writes down at exit which engine started what, so that a pass without a start
// of ours is not taken for one.
//
// ARGV_SPAWN_STARTS is a folder; every process and thread adds a file to it.

import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const folder = process.env.ARGV_SPAWN_STARTS;
const counts = {};

subscribe('argv-spawn:child_process', ({ reason }) => {
  const name = reason ?? 'ours';
  counts[name] = (counts[name] ?? 0) + 1;
});
process.on('exit', () => writeFileSync(join(folder, `${process.pid}-${threadId}.json`), JSON.stringify(counts)));
