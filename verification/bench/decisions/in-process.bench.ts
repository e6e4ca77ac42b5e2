// Cost of finding limits and building the answer, without Redis: the engine over the in-memory store.
// Usage: pnpm bench in-process [--rounds 5] [--ms 500]
import { MemoryStore } from '@tollgate/limiter/stores';
import { reportGoal } from '../goals.ts';
import { benchOptions, collectGarbage, median, spin, whereMeasured } from '../measure.ts';
import { printTable, thousands } from '../table.ts';
import { engineOver } from './engine.ts';
import { LASTING, limitBy, randomNumber } from './fixtures.ts';

const KEYS = 100_000;

const { rounds, ms } = benchOptions();
console.log(`${whereMeasured()}; one core, per second of its CPU; median of ${rounds} rounds of ${ms} ms`);

/** Decisions per second of an engine alone in the heap, because others would add to its garbage collection. */
async function measure(limits: number, tenants: number): Promise<number> {
  const policies = Array.from({ length: limits }, (_, i) => limitBy(LASTING, `create-${i}`));
  const engine = engineOver(new MemoryStore({ maxKeys: KEYS * limits }), policies, tenants);
  const names = Array.from({ length: tenants }, (_, n) => `tenant-${n}`);
  const decide = (n: number) =>
    engine.limit({
      tenant: names[n % tenants] ?? '',
      api: 'url-shortener',
      operation: 'createURL',
      subject: { user: `u${n}` },
    });
  // Each user once, because the first decision fills caches.
  for (let n = 0; n < KEYS; n++) await decide(n);
  collectGarbage();
  const decided = await spin(() => decide(randomNumber(KEYS)), ms);
  await engine.close();
  return decided;
}

/** Nanoseconds to find one of `tenants` in a map and to count there: the minimum of any engine, without other load on the caches. */
async function lookup(tenants: number): Promise<number> {
  const names = Array.from({ length: tenants }, (_, n) => `tenant-${n}`);
  const counts = new Map(names.map((_, n) => [`tenant-${n}`, { decisions: 0 }]));
  const perSecond = await spin(() => {
    const found = counts.get(names[randomNumber(tenants)] ?? '');
    if (found !== undefined) found.decisions++;
  }, ms);
  return 1e9 / perSecond;
}

const CASES = [
  [1, 1_000],
  [1, 100_000],
  [3, 1_000],
] as const;
const measured = CASES.map(() => [] as number[]);
const lookups = new Map([1_000, 100_000].map((tenants) => [tenants, [] as number[]]));
for (let i = 0; i < rounds; i++) {
  for (const [tenants, all] of lookups) all.push(await lookup(tenants));
  for (const [c, [limits, tenants]] of CASES.entries()) measured[c]?.push(await measure(limits, tenants));
}
printTable(
  `Engine over MemoryStore, ${thousands(KEYS)} users`,
  ['limits per request', 'tenants', 'decisions/s', 'µs each'],
  CASES.map(([limits, tenants], c) => {
    const perSecond = median(measured[c] ?? []);
    return [String(limits), thousands(tenants), thousands(perSecond), (1e6 / perSecond).toFixed(2)];
  }),
);
printTable(
  'Lookup of a random tenant in a map alone',
  ['tenants', 'ns each'],
  [...lookups].map(([tenants, all]) => [thousands(tenants), median(all).toFixed(0)]),
);

const [thousand = [], many = []] = measured;
reportGoal('tenants-100k', median(thousand.map((perSecond, i) => perSecond / (many[i] ?? Number.NaN))));
