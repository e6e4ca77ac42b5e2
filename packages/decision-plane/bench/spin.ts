import { setImmediate as turn } from 'node:timers/promises';

/** Operations between two turns of the event loop: leases are renewed in between. */
const CHUNK = 2_000;

/** Runs an operation as often as one core can for `ms`, after a fifth of that to warm up. @returns operations a second of CPU */
export async function spin(operation: (n: number) => unknown, ms: number): Promise<number> {
  await run(operation, ms / 5);
  return run(operation, ms);
}

async function run(operation: (n: number) => unknown, ms: number): Promise<number> {
  const endMs = performance.now() + ms;
  const before = process.cpuUsage();
  let done = 0;
  while (performance.now() < endMs) {
    for (let i = 0; i < CHUNK; i++) {
      const result = operation(done++);
      if (result instanceof Promise) await result;
    }
    await turn();
  }
  // What others take of the machine's time is no time of ours.
  const { user, system } = process.cpuUsage(before);
  return (done * 1e6) / (user + system);
}
