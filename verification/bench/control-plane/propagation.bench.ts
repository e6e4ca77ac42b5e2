// Usage: pnpm bench propagation [--changes 100]
import { openPolicyStack } from '../../chaos/control-plane/policy-stack.ts';
import { percentile } from '../../until.ts';
import { readOptions } from '../measure.ts';
import { printNumbers } from '../table.ts';

const LOW = 10_000_000;

const { changes } = readOptions({ changes: 100 });
printNumbers('mutation → enforced on 4 nodes, 2,000 decisions/s', await benchPropagation(changes));
process.exit(0);

/** How long a mutation takes until every node enforces it, while they decide. */
async function benchPropagation(changes: number): Promise<Record<string, number>> {
  const stack = await openPolicyStack({ nodes: 4, limit: LOW });
  const tookMs: number[] = [];
  try {
    const stopLoad = stack.load(2000);
    for (let i = 1; i <= changes; i++) {
      const startMs = performance.now();
      await stack.publishLimit(LOW + i);
      await stack.inForce(LOW + i);
      tookMs.push(performance.now() - startMs);
    }
    const { admitted } = await stopLoad();
    return {
      changes,
      decisions: admitted,
      'p50 ms': percentile(tookMs, 0.5),
      'p99 ms': percentile(tookMs, 0.99),
    };
  } finally {
    await stack.stop();
  }
}
