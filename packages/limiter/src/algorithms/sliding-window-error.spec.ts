import { seededRandom } from '@tollgate/test-kit/random';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../test/policies.js';
import { compiledBy, T0_US } from '../../test/sliding-window-laws.js';
import { algorithmOf, kindOf } from './index.js';

const LIMIT = 100;
const WINDOW_MS = 60_000;
const WINDOW_US = WINDOW_MS * 1000;
const WINDOWS = 200;
const SEEDS = 4;

type Arrivals = readonly number[];

/** Independent requests at `rate` times the limit. */
function steady(random: () => number, rate: number): Arrivals {
  const times: number[] = [];
  const endUs = T0_US + WINDOWS * WINDOW_US;
  const gapUs = WINDOW_US / (LIMIT * rate);
  for (let us = T0_US; us < endUs; us += Math.ceil(-Math.log(1 - random()) * gapUs)) times.push(us);
  return times;
}

/** Bursts of up to the limit, about one and a half per window, each within a tenth of a second. */
function bursts(random: () => number): Arrivals {
  const times: number[] = [];
  for (let i = 0; i < WINDOWS * 1.5; i++) {
    const us = T0_US + Math.floor(random() * WINDOWS * WINDOW_US);
    const size = Math.ceil(random() * LIMIT);
    for (let j = 0; j < size; j++) times.push(us + Math.floor(random() * 100_000));
  }
  return times.sort((a, b) => a - b);
}

/**
 * Deviation from an exact log, in percent of the limit. `over`: the largest excess in one window. `under`: the largest
 * remaining room at a denial.
 */
function errorOf(buckets: number, arrivals: Arrivals): { over: number; under: number } {
  const rule = { algorithm: 'sliding_window_counter' as const, limit: LIMIT, windowMs: WINDOW_MS, buckets };
  const model = algorithmOf(kindOf(rule));
  const policy = compiledBy(model, policyBy(rule));
  let state: unknown;
  const admitted: number[] = [];
  let first = 0;
  let over = 0;
  let under = 0;
  for (const us of arrivals) {
    while ((admitted[first] ?? us) <= us - WINDOW_US) first++;
    const step = model.step(state, policy, 1, us, 0);
    state = step.state;
    if (step.allowed) admitted.push(us);
    else under = Math.max(under, LIMIT - (admitted.length - first));
    over = Math.max(over, admitted.length - first - LIMIT);
  }
  return { over: (over * 100) / LIMIT, under: (under * 100) / LIMIT };
}

/** The largest errors over all seeds. */
function worst(buckets: number, traffic: (random: () => number) => Arrivals) {
  const errors = Array.from({ length: SEEDS }, (_, seed) =>
    errorOf(buckets, traffic(seededRandom(seed + 1))),
  );
  return {
    over: Math.max(...errors.map(({ over }) => over)),
    under: Math.max(...errors.map(({ under }) => under)),
  };
}

describe(`compared with an exact log of ${LIMIT} a minute, in percent of the limit`, () => {
  const traffics = {
    'at the rate of the limit': (random: () => number) => steady(random, 1),
    'at three times the limit': (random: () => number) => steady(random, 3),
    'in bursts of up to the limit': bursts,
  };

  it.each([
    { sent: 'at the rate of the limit', buckets: 1, over: 17, under: 11 },
    { sent: 'at the rate of the limit', buckets: 2, over: 25, under: 0 },
    { sent: 'at the rate of the limit', buckets: 6, over: 14, under: 0 },
    { sent: 'at the rate of the limit', buckets: 60, over: 3, under: 0 },
    { sent: 'at three times the limit', buckets: 1, over: 4, under: 65 },
    { sent: 'at three times the limit', buckets: 2, over: 37, under: 0 },
    { sent: 'at three times the limit', buckets: 6, over: 26, under: 0 },
    { sent: 'at three times the limit', buckets: 60, over: 6, under: 0 },
    { sent: 'in bursts of up to the limit', buckets: 1, over: 83, under: 70 },
    { sent: 'in bursts of up to the limit', buckets: 2, over: 100, under: 0 },
    { sent: 'in bursts of up to the limit', buckets: 6, over: 86, under: 0 },
    { sent: 'in bursts of up to the limit', buckets: 60, over: 65, under: 0 },
  ] as const)('$sent, $buckets sub-windows (1: the estimate): $over over, $under under', (row) => {
    const { sent, buckets, over, under } = row;
    expect(worst(buckets, traffics[sent])).toEqual({ over, under });
  });

  it.each([2, 6, 60])('%i sub-windows allow up to twice the limit in one window, never more', (buckets) => {
    // At the last moment of a sub-window, and at the first after it expired: a window minus a sub-window later.
    const bucketUs = WINDOW_US / buckets;
    const startUs = T0_US - (T0_US % WINDOW_US);
    const first = Array<number>(3 * LIMIT).fill(startUs + bucketUs - 1);
    const second = Array<number>(3 * LIMIT).fill(startUs + WINDOW_US);
    expect(errorOf(buckets, [...first, ...second])).toEqual({ over: 100, under: 0 });
  });

  it('the estimate can allow twice the limit in one window, or deny all of it', () => {
    const startUs = T0_US - (T0_US % WINDOW_US);
    // All at the end of a window, and as many as possible at the end of the next, where less than a unit of the first
    // counts.
    const late = Array<number>(LIMIT).fill(startUs + WINDOW_US - 1);
    const later = Array<number>(LIMIT).fill(startUs + 2 * WINDOW_US - 1000);
    expect(errorOf(1, [...late, ...later])).toEqual({ over: 100, under: 0 });
    // All at the start of a window: when the next one starts, an exact log is empty, but the estimate counts them in
    // full.
    const early = Array<number>(LIMIT).fill(startUs);
    expect(errorOf(1, [...early, startUs + WINDOW_US])).toEqual({ over: 0, under: 100 });
  });
});
