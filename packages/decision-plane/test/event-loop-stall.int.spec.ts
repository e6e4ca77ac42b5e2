import { createTestRedis } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create, nextTurn } from './outage-node.js';
import { fixedWindowPolicy } from './policies.js';
import { DEFAULT_SEED, randomFrom } from './random.js';
import { RedisNodes } from './redis-nodes.js';

/** Above the delays of a busy machine, on which Redis itself may be late; each stall is longer than this. */
const DEADLINE_MS = 200;
const LIMIT = 50;
const CALLERS = 200;
const BURSTS = 4;
const ROUNDS = Number(process.env.STALL_ROUNDS ?? 12);
const SEED = Number(process.env.STALL_SEED ?? DEFAULT_SEED);

const limit = fixedWindowPolicy({
  limit: LIMIT,
  windowMs: 86_400_000,
  alignment: 'first_request',
  per: ['user'],
});

type When = 'before' | 'after';

function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe(`a limit of ${LIMIT} on two nodes, STALL_SEED=${SEED}`, () => {
  let redis: Awaited<ReturnType<typeof createTestRedis>>;
  let nodes: RedisNodes;

  beforeAll(async () => {
    redis = await createTestRedis();
    nodes = await RedisNodes.start(redis.url, 2, [limit], DEADLINE_MS);
  });
  afterAll(async () => {
    await nodes?.close();
    await redis?.stop();
  });

  /** Number of {@link CALLERS} requests allowed while the event loop blocks once. */
  async function admitted(user: string, blockMs: number, when: When): Promise<number> {
    const answers: Promise<{ success: boolean }>[] = [];
    // Each node sends the first two bursts at once; the others wait for a reply.
    for (let burst = 0; burst < BURSTS; burst++) {
      for (let i = 0; i < CALLERS / BURSTS / 2; i++) {
        for (const engine of nodes.engines) answers.push(engine.limit({ ...create, subject: { user } }));
      }
      if (when === 'before' && burst === 0) block(blockMs);
      else await Promise.resolve();
    }
    await nextTurn();
    if (when === 'after') block(blockMs);
    return (await Promise.all(answers)).filter(({ success }) => success).length;
  }

  it.each<When>(['before', 'after'])(
    'admits exactly 50 when the event loop blocks %s a batch is sent',
    async (when) => {
      const { next } = randomFrom(SEED);
      const counts: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        counts.push(await admitted(`${when}-${round}`, DEADLINE_MS * (1.6 + 0.8 * next()), when));
      }
      expect(counts).toEqual(new Array<number>(ROUNDS).fill(LIMIT));
    },
    60_000,
  );
});
