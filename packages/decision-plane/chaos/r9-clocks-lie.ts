import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rule } from '@tollgate/contracts';
import { failing, type Goal, type GoalOptions, type Measurement } from './goal.ts';
import { YARD_API } from './local-node.ts';
import { recount } from './oracle.ts';
import { EXACT_RULES, limitBy } from './rules.ts';
import { canStepStoreClock, StoreClock } from './store-clock.ts';
import { Yard } from './yard.ts';
import type { Outcome } from './yard-node.ts';

const HOUR_MS = 3_600_000;
const LIMIT = 10;
const WINDOW_MS = 60_000;
const NODES = 3;

/** What a step of the store's clock is followed by: that many requests of each rule, at once. */
const OFFERED = 30;

/** Steps of the store's clock, each on keys of its own, used up before; then back to the true time. */
const STEPS_MS = {
  'back 10 s': -10_000,
  'back 30 s': -30_000,
  'forward 30 s': 30_000,
  'forward 1 h': HOUR_MS,
};

/** Those whose windows a stepping clock does not end: a month goes on. */
const RULES = Object.entries(EXACT_RULES).map(([name, make]) => [name, make(LIMIT, WINDOW_MS)] as const);

/** Neither a node's clock nor the store's, stepped, lets more through than its own time allows. */
export const clocksLie: Goal = {
  id: 'R9',
  title: 'clocks lie',
  passLine:
    'nodes ± 1 h: exact; store stepped back: <= 1 extra a key, never a Retry-After above window + 1 s; stepped forward by s: ' +
    'what s seconds bring back, and after the return at most that limit again',
  async run(options, tell) {
    // Nodes of one process have one clock.
    if (options.isolation === 'process') tell(await skewedNodes(options));
    if (!canStepStoreClock) {
      tell({ name: 'store clock', numbers: { 'left out': 'no gcc' }, failures: [] });
      return;
    }
    const dir = mkdtempSync(join(tmpdir(), 'tollgate-clock-'));
    try {
      const clock = new StoreClock(dir);
      for (const [name, stepMs] of Object.entries(STEPS_MS))
        tell(await stepped(name, stepMs, clock, options));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function skewedNodes({ isolation }: GoalOptions): Promise<Measurement> {
  const limits = RULES.map(([name, rule]) => limitBy(name, rule));
  const clocksAheadMs = [HOUR_MS, -HOUR_MS, 0];
  const yard = await Yard.open({
    isolation,
    nodes: NODES,
    limits,
    clocksAheadMs,
    setup: { deadlineMs: 5000 },
  });
  try {
    let [over, under, tooLong, decisions] = [0, 0, 0, 0];
    for (const [name, rule] of RULES) {
      const outcomes = await offer(yard, name, 'u0');
      const decided = outcomes.filter(({ fromStore }) => fromStore);
      const counted = recount(rule, decided);
      over += counted.over;
      under += counted.under;
      decisions += decided.length;
      tooLong += decided.filter((outcome) => waitsTooLong(rule, outcome)).length;
    }
    const failures = failing({
      'not exact': over === 0 && under === 0,
      'told to wait longer than a window': tooLong === 0,
    });
    return { name: 'nodes ± 1 h', numbers: { decisions, over, under, tooLong }, failures };
  } finally {
    await yard.close();
  }
}

async function stepped(
  name: string,
  stepMs: number,
  clock: StoreClock,
  { isolation }: GoalOptions,
): Promise<Measurement> {
  clock.setAhead(0);
  const limits = RULES.map(([rule, made]) => limitBy(rule, made));
  const setup = { deadlineMs: 5000 };
  const yard = await clock.inForce(() => Yard.open({ isolation, nodes: NODES, limits, setup }));
  try {
    const numbers: Record<string, string> = {};
    const failures: string[] = [];
    for (const [rule, made] of RULES) {
      clock.setAhead(0);
      // Until the window has room for all three parts: one that ends in between is not an extra.
      const before = await offer(yard, rule, 'u0');
      clock.setAhead(stepMs);
      const during = await offer(yard, rule, 'u0');
      clock.setAhead(0);
      const after = await offer(yard, rule, 'u0');
      const extra = [during, after].map(admitted);
      const allowed = stepMs < 0 ? [1, 1] : [broughtBack(made, stepMs), LIMIT];
      numbers[rule] = `${admitted(before)} + ${extra.join(' + ')}`;
      const tooLong = [...during, ...after].filter((outcome) => waitsTooLong(made, outcome)).length;
      if (extra.some((one, i) => one > (allowed[i] ?? 0)))
        failures.push(`${rule}: ${extra.join(' + ')} extra`);
      if (tooLong > 0) failures.push(`${rule}: ${tooLong} told to wait longer than a window`);
    }
    return { name: `store ${name}`, numbers, failures };
  } finally {
    await yard.close();
  }
}

/** What the rule itself gives back in `stepMs`, at most. */
function broughtBack(rule: Rule, stepMs: number): number {
  const isSteady = ['gcra', 'leaky_bucket', 'token_bucket'].includes(rule.algorithm);
  if (isSteady && !('refill' in rule && rule.refill === 'interval'))
    return Math.min(LIMIT, Math.ceil((LIMIT * stepMs) / WINDOW_MS) + 1);
  // A window that is aligned to the clock may end within any step.
  const isAligned = ('alignment' in rule && rule.alignment === 'clock') || 'refill' in rule;
  return stepMs >= WINDOW_MS || isAligned ? LIMIT : 1;
}

async function offer(yard: Yard, operation: string, user: string): Promise<Outcome[]> {
  const request = { tenant: 'acme', api: YARD_API, operation, subject: { user } };
  const each = Array(OFFERED / NODES).fill(request);
  return (await Promise.all(yard.nodes.map((node) => node.ask(each)))).flat();
}

function admitted(outcomes: readonly Outcome[]): number {
  return outcomes.filter(({ success }) => success).length;
}

/** A month's quota may well say so. */
function waitsTooLong(rule: Rule, { success, retryAfter }: Outcome): boolean {
  return !success && rule.algorithm !== 'quota' && (retryAfter ?? 0) > WINDOW_MS / 1000 + 1;
}
