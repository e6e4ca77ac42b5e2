// Runs a longer parity test of models and scripts. Usage: pnpm parity [-- --runs 10000 --seed 1 --kinds gcra,quota]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    kinds: { type: 'string' },
  },
});
const { status } = spawnSync('npx', ['vitest', 'run', 'packages/limiter/test/parity.int.spec.ts'], {
  cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  stdio: 'inherit',
  env: {
    ...process.env,
    PARITY_RUNS: values.runs,
    ...(values.seed === undefined ? {} : { TEST_SEED: values.seed }),
    ...(values.kinds === undefined ? {} : { PARITY_KINDS: values.kinds }),
  },
});
process.exitCode = status ?? 1;
