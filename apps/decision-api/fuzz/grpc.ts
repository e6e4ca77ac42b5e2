// Sends damaged calls to Envoy's door, which runs in a process of its own.
// Usage: pnpm fuzz:grpc [-- --calls 100000] [--seed 7]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RlsFuzzer } from './rls-fuzzer.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    calls: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const calls = Number(values.calls);
const seed = Number(values.seed);

/** What a door may grow by from one half of the calls to the other. */
const MAX_GROWTH_MB = 64;
const PARTS = 10;

const child = fork(join(import.meta.dirname, '../bench/grpc-servers.ts'), ['tollgate'], {
  execArgv: ['--expose-gc'],
});
let hasEnded = false;
child.once('exit', () => {
  hasEnded = true;
});
const [{ port, token }] = (await once(child, 'message')) as [{ port: number; token: string }];
console.log(`${calls} damaged calls, seed ${seed}`);

const endings = new Map<string, number>();
const unexplained: string[] = [];
const sizesMb: number[] = [];
for (let part = 0; part < PARTS && !hasEnded; part++) {
  const report = await new RlsFuzzer(`127.0.0.1:${port}`, token, seed + part).run(Math.ceil(calls / PARTS));
  for (const [ending, count] of report.endings) endings.set(ending, (endings.get(ending) ?? 0) + count);
  unexplained.push(...report.unexplained);
  if (hasEnded) break;
  // What is left once it was collected: before that, the heap is as large as the collector lets it be.
  const told = once(child, 'message');
  child.send('collect');
  await told;
  sizesMb.push(residentMb(child.pid ?? 0));
}
console.log(
  [...endings]
    .sort(([, a], [, b]) => b - a)
    .map(([ending, count]) => `${ending}: ${count}`)
    .join(', '),
);
console.log(`resident, MB: ${sizesMb.map((size) => size.toFixed(0)).join(' ')}`);
for (const one of unexplained.slice(0, 20)) console.log(`unexplained: ${one}`);
// The least of each half: what stands above it, the collector takes when it wants to.
const half = Math.floor(sizesMb.length / 2);
const grownMb = Math.min(...sizesMb.slice(half)) - Math.min(...sizesMb.slice(1, half));
console.log(`grown by ${grownMb.toFixed(0)} MB`);
if (hasEnded) console.log('the door has ended');
if (hasEnded || unexplained.length > 0 || !(grownMb < MAX_GROWTH_MB)) process.exitCode = 1;
if (!hasEnded) child.disconnect();

function residentMb(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return (Number(pages) * 4096) / 2 ** 20;
}
