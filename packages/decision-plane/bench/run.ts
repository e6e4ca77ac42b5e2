// Runs all benchmarks in sequence, each in its own process.
// Usage: pnpm bench [-- --only decide,raw] [--rounds 5] [--ms 2000]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const PARTS = [
  'decide',
  'raw',
  'lease',
  'in-process',
  'caller-keys',
  'growth',
  'memory',
  'cluster',
  'elastic',
  'outage',
];
/** Benchmarks measured in seconds instead of rounds. */
const IN_SECONDS = new Set(['elastic', 'outage']);

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string', default: PARTS.join() },
    rounds: { type: 'string', default: '3' },
    ms: { type: 'string', default: '1000' },
  },
});

for (const part of values.only.split(',')) {
  if (!PARTS.includes(part)) throw new Error(`unknown benchmark ${part}; available: ${PARTS.join(', ')}`);
  console.log(`\n## ${part}\n`);
  const length = IN_SECONDS.has(part) ? ['--seconds', '4'] : ['--rounds', values.rounds, '--ms', values.ms];
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${part}.ts`), ...length], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${part} exited with ${status}`);
}
