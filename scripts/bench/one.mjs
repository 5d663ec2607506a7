// One scenario with one contender, in this process; prints the samples as JSON. Started by rounds.mjs.

import { writeFileSync } from 'node:fs';
import { CONTENDERS } from './contenders/index.mjs';
import { SCENARIOS } from './scenarios/index.mjs';

const { scenario, contender, settings, helpers } = JSON.parse(process.argv[2]);
const about = CONTENDERS[contender];
const samples = await SCENARIOS[scenario].run(await about.load(), settings, helpers, about);
writeFileSync(1, JSON.stringify(samples));
process.exit(0);
