// Values from outside stay values: as an argument after `--`, on stdin, or as a parameter of constant shell text.

import { run } from 'argv-spawn';

const hostile = `$(echo gone) "; echo gone; '`;

const asArgument = await run(['printf', '--', '%s', hostile]);
const asInput = await run(['cat'], { stdin: hostile });
const asParameter = await run(['sh', '-c', 'printf %s "$1" | cat', 'sh', hostile]);
console.log([asArgument, asInput, asParameter].every(({ stdout }) => stdout === hostile)); // prints true
