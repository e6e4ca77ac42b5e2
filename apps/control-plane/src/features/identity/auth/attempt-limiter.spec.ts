import { MemoryStore } from '@tollgate/limiter/stores';
import { describe, expect, it } from 'vitest';
import type { RedisConnections } from '../../../platform/redis.js';
import { type Attempt, AttemptLimiter } from './attempt-limiter.js';

const START_US = 1_700_000_000_000_000;

function setUp() {
  let nowUs = START_US;
  const counters = new MemoryStore({ clockUs: () => nowUs });
  const limiter = new AttemptLimiter({ counters } as unknown as RedisConnections);
  let address = 0;
  const attempt = (more: Partial<Attempt> = {}) =>
    limiter.take({
      kind: 'password',
      address: `10.0.${++address >> 8}.${address & 255}`,
      account: 'a@x.example',
      ...more,
    });
  /** 0 if allowed, else the seconds to wait. */
  const waitOf = async (more: Partial<Attempt> = {}): Promise<number> =>
    attempt(more).then(
      () => 0,
      (error) => error.facts.retryAfter,
    );
  return {
    attempt,
    waitOf,
    pass: (seconds: number) => {
      nowUs += seconds * 1_000_000;
    },
  };
}

describe('AttemptLimiter', () => {
  it('increases the wait with each attempt, up to ten minutes', async () => {
    const { waitOf, pass } = setUp();
    const waits: number[] = [];
    for (let i = 0; i < 300; i++) {
      const wait = await waitOf();
      if (wait === 0) continue;
      waits.push(wait);
      pass(wait);
    }
    expect(waits[0]).toBe(10);
    expect(waits).toContain(60);
    expect(waits.at(-1)).toBe(600);
    expect(Math.max(...waits)).toBe(600);
  });

  it('allows at most 210 guesses a day per account', async () => {
    const { waitOf, pass } = setUp();
    let guesses = 0;
    for (let seconds = 0; seconds < 86_400; ) {
      const wait = await waitOf();
      if (wait === 0) guesses++;
      seconds += wait;
      pass(wait);
    }
    expect(guesses).toBeLessThanOrEqual(210);
  });

  it('counts each known device separately from unknown devices', async () => {
    const { waitOf } = setUp();
    while ((await waitOf()) === 0);
    expect(await waitOf({ deviceId: 'one' })).toBe(0);
    while ((await waitOf({ deviceId: 'one' })) === 0);
    expect(await waitOf({ deviceId: 'two' })).toBe(0);
  });

  it('counts kinds separately, and an address across all accounts', async () => {
    const { waitOf } = setUp();
    let account = 0;
    const guess = () => waitOf({ address: '192.0.2.1', account: `${++account}@x.example` });
    while ((await guess()) === 0);
    expect(account).toBe(31);
    expect(await waitOf({ kind: 'second-factor', address: '192.0.2.1' })).toBe(0);
    expect(await waitOf({ address: '192.0.2.2' })).toBe(0);
  });

  it('blocks a guessing source for a growing time, while the owner signs in', async () => {
    const { attempt, waitOf, pass } = setUp();
    const attacker = { address: '192.0.2.66' };
    const blocks: number[] = [];
    let guesses = 0;
    for (let seconds = 0; seconds < 86_400; ) {
      const wait = await waitOf(attacker);
      if (wait === 0) guesses++;
      if (wait >= 900) blocks.push(wait);
      // An attacker that ignores all waits except blocks.
      const idle = wait >= 900 ? wait : 1;
      pass(idle);
      seconds += idle;
      (await attempt()).refund();
      (await attempt({ ...attacker, deviceId: 'known' })).refund();
      // A passkey or a link by mail.
      (await attempt({ ...attacker, kind: 'link' })).refund();
    }
    expect(blocks.slice(0, 4)).toEqual([900, 1800, 3600, 7200]);
    expect(guesses).toBeLessThan(50);
  });

  it('does not count a refunded attempt', async () => {
    const { attempt } = setUp();
    for (let i = 0; i < 100; i++) (await attempt({ address: '192.0.2.1' })).refund();
  });
});
