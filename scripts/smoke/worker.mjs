import { parentPort, workerData } from 'node:worker_threads';
import { run } from 'argv-spawn';

parentPort.postMessage((await run(workerData)).stdout);
