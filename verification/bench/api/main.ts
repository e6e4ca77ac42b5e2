import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchHttp } from './http.bench.ts';
import { benchMemory } from './http-memory.bench.ts';
import { benchOutage } from './http-outage.bench.ts';
import { benchTracing } from './tracing.bench.ts';

// pnpm bench:http [-- --only http,tracing,memory,outage,grpc --rounds 3 --ms 2000 --minutes 1]: HTTP and gRPC servers beside servers that only respond.

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    ms: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '1' },
    baseline: { type: 'string' },
  },
});

/** Duration of each benchmark. */
const options = {
  rounds: Number(values.rounds),
  ms: Number(values.ms),
  minutes: Number(values.minutes),
  baseline: values.baseline,
};

const BENCHES: Readonly<Record<string, (given: typeof options) => Promise<void>>> = {
  http: benchHttp,
  tracing: benchTracing,
  memory: benchMemory,
  outage: benchOutage,
  grpc: inItsProcess('grpc.bench.ts'),
};

const [cpu] = os.cpus();
console.log(
  `${cpu?.model} × ${os.cpus().length}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(2)}`,
);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (values.only === undefined || values.only.split(',').includes(name)) await bench(options);
}

/** Runs a benchmark in a new process, unaffected by code compiled earlier. */
function inItsProcess(file: string) {
  return ({ rounds, ms }: { rounds: number; ms: number }): Promise<void> => {
    const args = [
      ...process.execArgv,
      join(import.meta.dirname, file),
      '--rounds',
      String(rounds),
      '--ms',
      String(ms),
    ];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    return status === 0 ? Promise.resolve() : Promise.reject(new Error(`${file} ended with ${status}`));
  };
}
