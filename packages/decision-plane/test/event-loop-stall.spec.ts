import { MemoryStore } from '@tollgate/limiter/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { turn } from '../../limiter/test/hand-server.js';
import { useHandTime } from '../../limiter/test/hand-time.js';
import { BatchExpired, LaneGroup } from '../../limiter/test/parts.js';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import type { Engine } from '../src/decide/engine.js';
import { engineOn } from './engine-on-lanes.js';
import { create } from './outage-node.js';

const DEADLINE_MS = 200;
const LIMIT = 50;
const CALLERS = 200;
const BURSTS = 4;

const limit = fixedWindowPolicy({
  limit: LIMIT,
  windowMs: 86_400_000,
  alignment: 'first_request',
  per: ['user'],
});

const MOMENTS = ['a batch is sent', 'the server receives it', 'its replies are read'] as const;

describe(`a limit of ${LIMIT} on two nodes`, () => {
  const time = useHandTime();
  let engines: Engine[];

  beforeEach(() => {
    const server = new MemoryStore({ clockUs: nowUs });
    engines = [1, 2].map(() => {
      const lanes = new LaneGroup({
        send: async ({ requests }, { expiresAtUs = Number.POSITIVE_INFINITY }) => {
          await turn();
          if (nowUs() >= expiresAtUs) throw new BatchExpired(nowUs());
          const replies = requests.map((request) => server.chargeNow(request));
          await turn();
          return replies;
        },
        sendAmendment: () => Promise.reject(new Error('no amendments')),
        isConnected: () => true,
        deadlineMs: DEADLINE_MS,
        onFailure: () => undefined,
      });
      return engineOn(lanes, [limit], time);
    });
  });

  const nowUs = () => time.nowMs() * 1000;

  /** Number of {@link CALLERS} requests allowed while the event loop blocks once. */
  async function admitted(user: string, blockMs: number, moment: (typeof MOMENTS)[number]): Promise<number> {
    const block = (now: (typeof MOMENTS)[number]) => {
      if (now !== moment) return;
      time.blockMs(blockMs);
      // Timers that are due by now run before replies are read.
      time.advanceMs(1);
    };
    const answers: Promise<{ success: boolean }>[] = [];
    // Each node sends the first two bursts at once; the others wait for a reply.
    for (let burst = 0; burst < BURSTS; burst++) {
      for (let i = 0; i < CALLERS / BURSTS / 2; i++) {
        for (const engine of engines) answers.push(engine.limit({ ...create, subject: { user } }));
      }
      if (burst === 0) block('a batch is sent');
      await Promise.resolve();
    }
    block('the server receives it');
    await turn();
    block('its replies are read');
    return (await Promise.all(answers)).filter(({ success }) => success).length;
  }

  it.each(MOMENTS)('admits exactly 50 when the event loop blocks before %s', async (moment) => {
    for (const blockMs of [1, 100, 199, 200, 201, 320, 480, 900])
      expect(await admitted(`u${blockMs}`, blockMs, moment), `${blockMs} ms`).toBe(LIMIT);
  });
});
