// Sends damaged calls to a gRPC server in a separate process. Usage: pnpm fuzz:grpc [-- --calls 100000] [--seed 7]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rssMbOf } from '../bench/api/http/process-figures.ts';
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

/** Maximum memory growth between the two halves of the calls. */
const MAX_GROWTH_MB = 64;
const PARTS = 10;

const child = fork(join(import.meta.dirname, '../bench/api/grpc-servers.ts'), ['tollgate'], {
  execArgv: [...process.execArgv, '--expose-gc'],
});
let hasEnded = false;
child.once('exit', () => {
  hasEnded = true;
});
const [{ port, token }] = (await once(child, 'message')) as [{ port: number; token: string }];
console.log(`${calls} damaged calls, seed ${seed}`);

const unexplained: string[] = [];
const grownMb = await fuzz((part) =>
  new RlsFuzzer(`127.0.0.1:${port}`, token, seed + part).run(Math.ceil(calls / PARTS)),
);
for (const one of unexplained.slice(0, 20)) console.log(`unexplained: ${one}`);
if (hasEnded) console.log('the server exited');
if (hasEnded || unexplained.length > 0 || !(grownMb < MAX_GROWTH_MB)) process.exitCode = 1;
if (!hasEnded) child.disconnect();

async function fuzz(
  run: (part: number) => Promise<{ endings: Map<string, number>; unexplained: string[] }>,
): Promise<number> {
  const endings = new Map<string, number>();
  const sizesMb: number[] = [];
  for (let part = 0; part < PARTS && !hasEnded; part++) {
    const report = await run(part);
    for (const [ending, count] of report.endings) endings.set(ending, (endings.get(ending) ?? 0) + count);
    unexplained.push(...report.unexplained);
    if (hasEnded) break;
    const told = once(child, 'message');
    child.send('collect');
    await told;
    sizesMb.push(rssMbOf([child.pid ?? 0]));
  }
  const byCount = [...endings].sort(([, a], [, b]) => b - a);
  console.log(byCount.map(([ending, count]) => `${ending}: ${count}`).join(', '));
  console.log(`resident, MB: ${sizesMb.map((size) => size.toFixed(0)).join(' ')}`);
  // The minimum of each half excludes garbage not collected yet.
  const half = Math.floor(sizesMb.length / 2);
  const grownMb = Math.min(...sizesMb.slice(half)) - Math.min(...sizesMb.slice(1, half));
  console.log(`grew by ${grownMb.toFixed(0)} MB`);
  return grownMb;
}
