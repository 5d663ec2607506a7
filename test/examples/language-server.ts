// Talks with a program over its pipes, and ends it, with all it started, when the block is left.

import { spawn } from 'argv-spawn';

async function ask(questions: readonly string[]): Promise<string[]> {
  await using server = spawn(['sh', '-c', 'sleep 600 & while read -r line; do echo "answer to $line"; done'], {
    stdin: 'pipe',
    stderr: 'inherit',
  });
  const answers: string[] = [];
  const lines = server.lines()[Symbol.asyncIterator]();
  for (const question of questions) {
    server.stdin?.write(`${question}\n`);
    const next = await lines.next();
    if (next.done === true) break;
    answers.push(next.value.text);
  }
  return answers;
}

console.log(await ask(['one', 'two']));
// prints [ 'answer to one', 'answer to two' ]
