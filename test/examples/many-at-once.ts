// Four at a time, all cancelled by one signal.

import { run } from 'argv-spawn';

async function forEach<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

const { signal } = new AbortController();
let sum = 0;
await forEach([1, 2, 3, 4, 5, 6, 7, 8], 4, async (number) => {
  const { stdout } = await run(['printf', '%s', String(number)], { signal, check: true });
  sum += Number(stdout);
});
console.log(sum); // prints 36
