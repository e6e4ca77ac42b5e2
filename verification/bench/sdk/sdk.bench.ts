import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Tollgate } from '@tollgate/sdk';
import { median, readOptions } from '../measure.ts';

// Compares `limit` with a bare fetch of the same body, against a constant response from a server thread. Both
// alternate in one run; prints the medians of the rounds and their ratio.
// Usage: pnpm bench sdk [--rounds 7] [--ms 1000]

const { rounds, ms } = readOptions({ rounds: 7, ms: 1000 });
const REQUEST = { tenant: 'acme', api: 'shop', operation: 'checkout', subject: { user: 'u1' } };

const server = new Worker(new URL('./constant-server.ts', import.meta.url));
const [port] = (await once(server, 'message')) as [number];
const url = `http://127.0.0.1:${port}`;
const tollgate = new Tollgate({ url, token: 'tga_live_bench', timeoutMs: 10_000 });

async function bare(): Promise<void> {
  const headers = { Authorization: 'Bearer tga_live_bench', 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/v1/limit`, { method: 'POST', headers, body: JSON.stringify(REQUEST) });
  JSON.parse(await response.text());
}

async function limit(): Promise<void> {
  await tollgate.limit(REQUEST);
}

/** Calls per second with this concurrency. */
async function rateOf(call: () => Promise<void>, atOnce: number): Promise<number> {
  let calls = 0;
  const beganMs = performance.now();
  const caller = async () => {
    for (; performance.now() - beganMs < ms; calls++) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return calls / ((performance.now() - beganMs) / 1000);
}

for (const atOnce of [1, 4, 64, 256]) {
  const rates = { bare: [] as number[], limit: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(await rateOf(bare, atOnce));
    rates.limit.push(await rateOf(limit, atOnce));
  }
  const [fetches, limits] = [median(rates.bare), median(rates.limit)];
  const text = `${Math.round(limits)}/s, bare fetch ${Math.round(fetches)}/s`;
  console.log(`${String(atOnce).padStart(3)} at once: limit ${text}, ratio ${(limits / fetches).toFixed(2)}`);
}
await server.terminate();
