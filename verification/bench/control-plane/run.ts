// Measures how policy reaches nodes: pnpm bench:control [-- --tenants 100000 --changes 100 --purchases 100]
import os from 'node:os';
import { parseArgs } from 'node:util';
import { benchPropagation } from './propagation.bench.ts';
import { benchPurchase } from './purchase.bench.ts';
import { benchTenants } from './tenants.bench.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    tenants: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '100' },
    purchases: { type: 'string', default: '100' },
  },
});
console.log(`${os.cpus()[0]?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}`);
print('mutation → enforced on 4 nodes, 2,000 decisions/s', await benchPropagation(Number(values.changes)));
print(
  'webhook of a payment → enforced on 4 nodes, 2,000 decisions/s',
  await benchPurchase(Number(values.purchases)),
);
print(`${values.tenants} tenants`, await benchTenants(Number(values.tenants)));
process.exit(0);

function print(title: string, numbers: Readonly<Record<string, number>>): void {
  console.log(`\n${title}`);
  for (const [what, value] of Object.entries(numbers)) console.log(`  ${what}: ${Number(value.toFixed(2))}`);
}
