// argv-spawn/register: `node --import argv-spawn/register program.js` puts our engine under node:child_process, for the
// whole process and its workers (README.md in lib/child_process).

import { installEngine } from './child_process/engine.ts';

installEngine();
