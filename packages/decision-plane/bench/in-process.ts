// Cost of finding limits and building the answer, without Redis: the engine over the in-memory store.
// Usage: pnpm bench -- --only in-process [--rounds 5] [--ms 500]
import { MemoryStore } from '@tollgate/decision-plane/internals';
import { reportGoal } from '@tollgate/test-kit/bench-goals';
import { whereMeasured } from './bench-server.ts';
import { engineOver, LASTING, limitBy, randomNumber } from './fixtures.ts';
import { benchOptions, median, spin } from './measure.ts';
import { printTable, thousands } from './table.ts';

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
  const decided = await spin(() => decide(randomNumber(KEYS)), ms);
  await engine.close();
  return decided;
}

const CASES = [
  [1, 1_000],
  [1, 100_000],
  [3, 1_000],
] as const;
const measured = CASES.map(() => [] as number[]);
for (let i = 0; i < rounds; i++) {
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

const [thousand = [], many = []] = measured;
reportGoal('tenants-100k', median(thousand.map((perSecond, i) => perSecond / (many[i] ?? Number.NaN))));
