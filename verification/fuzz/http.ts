// Sends damaged messages to an HTTP server in a separate process. Usage: pnpm fuzz:http [-- --messages 100000]
// [--seed 7]
import { parseArgs } from 'node:util';
import { Field } from '../bench/api/http/field.ts';
import { rssMbOf } from '../bench/api/http/process-figures.ts';
import { sendDamaged } from './http-fuzzer.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    messages: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const messages = Number(values.messages);
const seed = Number(values.seed);

/** Maximum memory growth in the second half of the messages; in the first half, heap and caches fill up. */
const MAX_GROWTH_MB = 64;
const PARTS = 10;

const field = await Field.open();
try {
  const target = await field.decisionApi(1);
  console.log(`${messages} damaged messages, seed ${seed}`);
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const sizesMb: number[] = [];
  for (let part = 0; part < PARTS; part++) {
    const { port } = target;
    const count = Math.ceil(messages / PARTS);
    const told = await sendDamaged({ port, token: field.token.token, messages: count, seed: seed + part });
    for (const [status, times] of told.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
    faults.push(...told.faults);
    sizesMb.push(rssMbOf(target.pids()));
  }
  const counts = [...statuses].sort(([, a], [, b]) => b - a);
  console.log(counts.map(([status, times]) => `${status}: ${times}`).join(', '));
  console.log(`resident, MB: ${sizesMb.map((size) => size.toFixed(0)).join(' ')}`);
  for (const fault of faults.slice(0, 20)) console.log(`unexplained: ${fault}`);
  const grownMb = (sizesMb.at(-1) ?? 0) - (sizesMb[PARTS / 2] ?? 0);
  console.log(`grew by ${grownMb.toFixed(0)} MB, ${faults.length} unexplained`);
  if (faults.length > 0 || !(grownMb < MAX_GROWTH_MB)) process.exitCode = 1;
} finally {
  await field.close();
}
