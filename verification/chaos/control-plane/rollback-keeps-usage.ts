import { RelayService } from '../../../apps/control-plane/src/features/distribution/index.js';
import { RollbackService } from '../../../apps/control-plane/src/features/governance/revisions/rollback.service.js';
import { percentile } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { CALLER, openPolicyStack } from './policy-stack.ts';

const ROLLBACKS = 100;
const NODES = 4;
const PER_SECOND = 2000;
const LOW = 10_000_000;
const HIGH = 20_000_000;
const WITHIN_MS = 2000;

/** Times are not asserted for short runs: other tests run beside them. */
const TIMED_FROM = 10;

/** Alternates publications and rollbacks under load on four nodes. */
export const rollbackUnderLoad: Goal = {
  id: 'C9',
  scale: 0.2,
  title: 'rollback keeps usage',
  passLine: 'one action, on all nodes within two seconds, counters kept, nothing denied',
  async run({ scale }, report) {
    const stack = await openPolicyStack({ nodes: NODES, limit: LOW });
    const committedMs: number[] = [];
    const tookMs: number[] = [];
    try {
      const then = await stack.newestRevision();
      const stopLoad = stack.load(PER_SECOND);
      for (let i = 0; i < Math.max(2, ROLLBACKS * scale); i++) {
        await stack.publishLimit(HIGH);
        await stack.inForce(HIGH);
        const input = { toRevision: then, expectedRevision: await stack.newestRevision(), reason: 'chaos' };
        const startMs = performance.now();
        const outcome = await stack.context.get(RollbackService).rollback(CALLER, input);
        if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
        committedMs.push(performance.now() - startMs);
        await stack.context.get(RelayService, { strict: false }).run();
        await stack.inForce(LOW);
        tookMs.push(performance.now() - startMs);
      }
      const { admitted, denied, thrown, degraded } = await stopLoad();
      const used = await stack.used();
      const numbers = {
        rollbacks: tookMs.length,
        'committed p50 ms': percentile(committedMs, 0.5),
        'on all nodes p50 ms': percentile(tookMs, 0.5),
        'on all nodes p99 ms': percentile(tookMs, 0.99),
        admitted,
        denied,
        thrown,
        degraded,
        'used at the end': used,
      };
      const isTimed = tookMs.length >= TIMED_FROM;
      report({
        name: 'rollbacks',
        numbers,
        failures: failing({
          'a rollback took longer than two seconds': !isTimed || percentile(tookMs, 0.99) <= WITHIN_MS,
          'a request was denied or failed': denied + thrown === 0,
          // Degraded decisions are not charged there, or were charged before their reply was lost.
          'usage was lost or counted twice': used >= admitted - degraded && used <= admitted,
        }),
      });
    } finally {
      await stack.stop();
    }
  },
};
