import { run } from 'argv-spawn';

const { stdout, containment } = await run(['echo', 'bundled']);
console.log(JSON.stringify([stdout, containment.tree]));
