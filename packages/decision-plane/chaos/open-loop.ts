import { build } from 'hdr-histogram-js';
import { randomFrom } from './random.ts';
import type { Load, LoadReport, Outcome } from './yard-node.ts';

const TICK_MS = 2;

/** Asks what the load says, by the clock; resolves when all of it is answered. */
export async function runLoad(
  load: Load,
  ask: (request: {
    tenant: string;
    api: string;
    operation: string;
    subject: { user: string };
  }) => Promise<Outcome>,
  api: string,
): Promise<LoadReport> {
  const { perSecond, ms, tenant, mix, tell } = load;
  const random = randomFrom(load.seed);
  const weights = mix.reduce((sum, { weight }) => sum + weight, 0);
  const latencies = build({ lowestDiscernibleValue: 1, highestTrackableValue: 120_000_000 });
  const outcomes: Outcome[] = [];
  const counts = { asked: 0, degraded: 0, thrown: 0, unmarked: 0, admitted: 0 };
  let pending = 0;
  let whenIdle: (() => void) | undefined;

  const choose = () => {
    let at = random.below(weights);
    const chosen = mix.find(({ weight }) => {
      at -= weight;
      return at < 0;
    });
    if (chosen === undefined) throw new Error('a load without a mix');
    return { operation: chosen.operation, user: `u${random.below(chosen.users)}` };
  };
  const note = (outcome: Outcome) => {
    latencies.recordValue(Math.max(1, outcome.latencyUs));
    if (outcome.degraded) counts.degraded++;
    if (outcome.thrown !== undefined) counts.thrown++;
    if (outcome.success && !outcome.fromStore && !outcome.degraded) counts.unmarked++;
    if (outcome.success) counts.admitted++;
    if (isTold(outcome, tell)) outcomes.push(outcome);
    if (--pending === 0) whenIdle?.();
  };
  const startMs = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = Math.min(ms, performance.now() - startMs);
      while (counts.asked < (elapsedMs * perSecond) / 1000) {
        const { operation, user } = choose();
        counts.asked++;
        pending++;
        void ask({ tenant, api, operation, subject: { user } }).then(note);
      }
      if (elapsedMs < ms) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await new Promise<void>((resolve) => {
    whenIdle = resolve;
    if (pending === 0) resolve();
  });
  const atMs = (percentile: number) => latencies.getValueAtPercentile(percentile) / 1000;
  const maxMs = latencies.maxValue / 1000;
  return { ...counts, p50Ms: atMs(50), p99Ms: atMs(99), p999Ms: atMs(99.9), maxMs, outcomes };
}

function isTold({ success, fromStore }: Outcome, tell: Load['tell']): boolean {
  if (tell === 'all') return true;
  if (tell === 'admitted') return success;
  return tell === 'store and admitted' && (success || fromStore);
}
