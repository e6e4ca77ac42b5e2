import { failing, type Goal } from '../goal.ts';
import { TESTBED_API } from './local-node.ts';
import { recount } from './oracle.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { Outcome } from './testbed-node.ts';

const PERMITS = 200;
const HOUR_MS = 3_600_000;
const SLACK_MS = 1000;

/** In the short form, beside other tests, only a limit. */
const PATIENCE_MS = 30_000;

/** Retry interval while waiting for a permit. */
const ASK_EVERY_MS = 20;
const ASKED_AT_ONCE = 20;

/** Permits of dead holders are freed. */
export const permitsHeal: Goal = {
  id: 'R14',
  title: 'concurrency limits heal',
  passLine: `permits of ${PERMITS} killed holders are free again <= lease + ${SLACK_MS} ms, never more held than the limit`,
  seconds: 2,
  cluster: true,
  async run({ seconds, isolation, cluster }, report) {
    const leaseMs = seconds * 1000;
    const rule = { algorithm: 'concurrency', limit: PERMITS, leaseMs } as const;
    const testbed = await Testbed.open({
      isolation,
      cluster,
      nodes: 4,
      limits: [limitBy('permit', rule)],
      proxy: cluster || isolation === 'process' ? 'none' : 'own',
      setup: { deadlineMs: 1000 },
      // Wrong clocks of holders and waiting nodes must not matter.
      clocksAheadMs: [HOUR_MS, -HOUR_MS, 0, HOUR_MS],
    });
    try {
      const request = { tenant: 'acme', api: TESTBED_API, operation: 'permit', subject: { user: 'u0' } };
      const [first, second, ...waiting] = testbed.nodes;
      if (first === undefined || second === undefined) throw new Error('no holders');
      const holders = [first, second];
      const half = Array(PERMITS / 2).fill(request);
      const outcomes: Outcome[] = (await Promise.all(holders.map((node) => node.ask(half)))).flat();
      const killedMs = Date.now();
      for (const node of holders) await testbed.killNode(node);
      let healed = 0;
      const withinMs = isolation === 'process' ? leaseMs + SLACK_MS : PATIENCE_MS;
      const few = Array(ASKED_AT_ONCE).fill(request);
      while (healed < PERMITS && Date.now() < killedMs + 2 * withinMs) {
        const asked = (await Promise.all(waiting.map((node) => node.ask(few)))).flat();
        healed += asked.filter(({ success }) => success).length;
        outcomes.push(...asked);
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
      }
      const healedMs = Date.now() - killedMs;
      // Nodes with wrong clocks return cached denials; only the store's own have its time.
      const { over, under, decisions } = recount(
        rule,
        outcomes.filter(({ fromStore }) => fromStore),
      );
      const failures = failing({
        'more permits held than the limit': over === 0,
        'a free permit was not granted': under === 0,
        'not all permits were freed': healed >= PERMITS,
        'the permits were freed too late': healedMs <= withinMs,
      });
      report({ name: 'permits', numbers: { leaseMs, healedMs, decisions, over, under }, failures });
    } finally {
      await testbed.close();
    }
  },
};
