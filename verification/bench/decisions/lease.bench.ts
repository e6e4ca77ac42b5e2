// Decisions without a Redis call: leased limits, cached denials, and the measurement of over-admission.
// Usage: pnpm bench lease [--rounds 5] [--ms 500]
import { setImmediate as turn } from 'node:timers/promises';
import type { LimitPolicy } from '@tollgate/contracts';
import { RedisStore } from '@tollgate/limiter/stores';
import { LeaseBook } from '../../../packages/decision-plane/src/counters/lease-book.js';
import { reportGoal } from '../goals.ts';
import { benchOptions, median, spin, whereMeasured } from '../measure.ts';
import { printTable, thousands } from '../table.ts';
import { startBenchServer } from './bench-server.ts';
import { engineOver } from './engine.ts';
import { checkOf, compiledBy, limitBy } from './fixtures.ts';

const LEASE_MS = 1000;
const HOUR_MS = 3_600_000;
const consistency = { mode: 'leased', leaseMs: LEASE_MS } as const;
/** Large enough that no round exhausts it. */
const ENDLESS = {
  algorithm: 'fixed_window',
  limit: 1_000_000_000_000,
  windowMs: HOUR_MS,
  alignment: 'clock',
} as const;
/** Exhausted within a round by two competing nodes. */
const SCARCE = {
  algorithm: 'fixed_window',
  limit: 3_000_000,
  windowMs: 366 * 24 * HOUR_MS,
  alignment: 'clock',
} as const;

const WHOLE_ENGINE = 'Engine.limit on a leased limit';

const { rounds, ms } = benchOptions();
const server = await startBenchServer();
const store = new RedisStore({ url: server.url, deadlineMs: 1000 });
await store.connected(5000);
console.log(`${whereMeasured()}; one core, per second of its CPU; median of ${rounds} rounds of ${ms} ms`);

const openBook = () => new LeaseBook({ amend: (of) => store.amend(of), nodes: () => 1 });
const perSecond = new Map<string, () => Promise<number>>([
  ['LeaseBook.spend', spendAlone],
  [WHOLE_ENGINE, () => whole(limitBy(ENDLESS, 'leased', { consistency }), 0)],
  ['Engine.limit, refusal remembered', () => whole(limitBy({ ...ENDLESS, limit: 1 }, 'denied'), 1)],
]);
const measured = new Map([...perSecond.keys()].map((name) => [name, [] as number[]]));
for (let i = 0; i < rounds; i++) {
  for (const [name, measure] of perSecond) measured.get(name)?.push(await measure());
}
printTable(
  'Decisions without a Redis call',
  ['', 'decisions/s', 'ns each'],
  [...measured].map(([name, all]) => [name, thousands(median(all)), (1e9 / median(all)).toFixed(0)]),
);
reportGoal('leased-engine', median(measured.get(WHOLE_ENGINE) ?? []));

async function spendAlone(): Promise<number> {
  const book = openBook();
  const check = checkOf(compiledBy(ENDLESS, 'spent'), 1, 1);
  const decided = await spin(() => book.spend(check, LEASE_MS), ms);
  await book.close();
  return decided;
}

/** @param warmUp number of decisions that need the store first */
async function whole(limit: LimitPolicy, warmUp: number): Promise<number> {
  const engine = engineOver(store, [limit], 1);
  const request = { tenant: 'tenant-0', api: limit.api, operation: 'createURL', subject: { user: 'u1' } };
  for (let i = 0; i <= warmUp; i++) await engine.limit(request);
  const decided = await spin(() => engine.limit(request), ms);
  await engine.close();
  return decided;
}

/** Two nodes spend one limit until neither has admitted any for two leases; unspent leases are returned by then. */
async function overAdmission(): Promise<void> {
  const check = checkOf(compiledBy(SCARCE, 'scarce'), 1, 1);
  const books = [openBook(), openBook()];
  let leased = 0;
  let decided = 0;
  for (let lastMs = performance.now(); performance.now() - lastMs < 2 * LEASE_MS; ) {
    const before = leased + decided;
    for (const book of books) {
      for (let i = 0; i < 500 && book.spend(check, LEASE_MS) !== undefined; i++) leased++;
      const reply = await store.charge({ checks: [check], peek: false });
      if (reply.available && reply.allowed) decided++;
    }
    if (leased + decided > before) lastMs = performance.now();
    await turn();
  }
  const over = Math.max(0, leased + decided - SCARCE.limit);
  printTable(
    'Two nodes compete for one limit',
    ['limit', 'spent from leases', 'decided by Redis', 'admitted above the limit'],
    [[thousands(SCARCE.limit), thousands(leased), thousands(decided), String(over)]],
  );
  await Promise.all(books.map((book) => book.close()));
}

await overAdmission();
await store.close();
await server.stop();
