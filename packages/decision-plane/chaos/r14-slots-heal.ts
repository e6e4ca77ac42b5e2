import { failing, type Goal } from './goal.ts';
import { YARD_API } from './local-node.ts';
import { recount } from './oracle.ts';
import { limitBy } from './rules.ts';
import { Yard } from './yard.ts';
import type { Outcome } from './yard-node.ts';

const SLOTS = 200;
const HOUR_MS = 3_600_000;
const SLACK_MS = 1000;

/** Whoever waits for a slot asks so often. */
const ASK_EVERY_MS = 20;
const ASKED_AT_ONCE = 20;

/** Slots of holders that died come back. */
export const slotsHeal: Goal = {
  id: 'R14',
  title: 'concurrency limits heal',
  passLine: `slots of ${SLOTS} killed holders are free again <= lease + ${SLACK_MS} ms, never more than the limit held`,
  async run({ seconds, isolation, cluster }, tell) {
    const leaseMs = seconds * 1000;
    const rule = { algorithm: 'concurrency', limit: SLOTS, leaseMs } as const;
    const yard = await Yard.open({
      isolation,
      cluster,
      nodes: 4,
      limits: [limitBy('slot', rule)],
      proxy: cluster || isolation === 'process' ? 'none' : 'own',
      setup: { deadlineMs: 1000 },
      // Those that hold and those that wait: whose clock is right does not matter.
      clocksAheadMs: [HOUR_MS, -HOUR_MS, 0, HOUR_MS],
    });
    try {
      const request = { tenant: 'acme', api: YARD_API, operation: 'slot', subject: { user: 'u0' } };
      const [first, second, ...waiting] = yard.nodes;
      if (first === undefined || second === undefined) throw new Error('no holders');
      const holders = [first, second];
      const half = Array(SLOTS / 2).fill(request);
      const outcomes: Outcome[] = (await Promise.all(holders.map((node) => node.ask(half)))).flat();
      const killedMs = Date.now();
      for (const node of holders) await yard.killNode(node);
      let healed = 0;
      const few = Array(ASKED_AT_ONCE).fill(request);
      while (healed < SLOTS && Date.now() < killedMs + 2 * (leaseMs + SLACK_MS)) {
        const asked = (await Promise.all(waiting.map((node) => node.ask(few)))).flat();
        healed += asked.filter(({ success }) => success).length;
        outcomes.push(...asked);
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
      }
      const healedMs = Date.now() - killedMs;
      // A refusal that lasts is given by nodes whose clocks are wrong: only the store's own have its time.
      const { over, under, decisions } = recount(
        rule,
        outcomes.filter(({ fromStore }) => fromStore),
      );
      const failures = failing({
        'more slots than there are': over === 0,
        'a slot was free and not given': under === 0,
        'not all slots came back': healed >= SLOTS,
        'the slots came back too late': healedMs <= leaseMs + SLACK_MS,
      });
      tell({ name: 'slots', numbers: { leaseMs, healedMs, decisions, over, under }, failures });
    } finally {
      await yard.close();
    }
  },
};
