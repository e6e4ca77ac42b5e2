import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchMemory } from './http/memory.ts';
import { benchOutage } from './http/outage.ts';
import { benchHttp } from './http/run.ts';

// pnpm bench:doors [-- --only http,memory,outage,grpc,codec --rounds 3 --ms 2000 --minutes 1]: the doors against servers that do nothing but answer.

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    ms: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '1' },
  },
});

/** How long a bench measures. */
const options = {
  rounds: Number(values.rounds),
  ms: Number(values.ms),
  minutes: Number(values.minutes),
};

const DOORS: Readonly<Record<string, (given: typeof options) => Promise<void>>> = {
  http: benchHttp,
  memory: benchMemory,
  outage: benchOutage,
  grpc: inItsProcess('doors-grpc.ts'),
  codec: inItsProcess('codec.ts'),
};

const [cpu] = os.cpus();
console.log(
  `${cpu?.model} × ${os.cpus().length}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(2)}`,
);
for (const [door, bench] of Object.entries(DOORS)) {
  if (values.only === undefined || values.only.split(',').includes(door)) await bench(options);
}

/** What is measured best where nothing else was compiled before. */
function inItsProcess(file: string) {
  return ({ rounds, ms }: { rounds: number; ms: number }): Promise<void> => {
    const args = [join(import.meta.dirname, file), '--rounds', String(rounds), '--ms', String(ms)];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    return status === 0 ? Promise.resolve() : Promise.reject(new Error(`${file} ended with ${status}`));
  };
}
