// One scenario with one contender, in this process; prints the samples as JSON. Started by main.mjs.

import { CONTENDERS } from './contenders.mjs';
import { SCENARIOS } from './scenarios.mjs';

const [, , scenario, contender, size] = process.argv;
const { run, [size]: settings } = SCENARIOS[scenario];
const samples = await run(await CONTENDERS[contender](), settings);
process.stdout.write(JSON.stringify(samples));
