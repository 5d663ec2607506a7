// Preloaded beside argv-spawn/register: writes down which engine started what, so that a pass without a start of ours
// is not taken for one.
//
// ARGV_SPAWN_STARTS is a file. Every process and thread adds a line to it at every start: one that is killed would
// write nothing at its end.

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

const file = process.env.ARGV_SPAWN_STARTS;

if (file) subscribe('argv-spawn:child_process', ({ reason }) => appendFileSync(file, `${reason ?? 'ours'}\n`));
