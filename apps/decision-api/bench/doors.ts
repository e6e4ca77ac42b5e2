import os from 'node:os';
import { parseArgs } from 'node:util';
import { benchHttp } from './http/run.ts';

// pnpm bench:doors [-- --only http --rounds 3 --ms 2000 --minutes 1]: the doors against servers that do nothing but answer.

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
  memoryMinutes: Number(values.minutes),
};

const DOORS: Readonly<Record<string, (given: typeof options) => Promise<void>>> = { http: benchHttp };

const [cpu] = os.cpus();
console.log(
  `${cpu?.model} × ${os.cpus().length}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(2)}`,
);
for (const [door, bench] of Object.entries(DOORS)) {
  if (values.only === undefined || values.only === door) await bench(options);
}
