// @module-tag redis-server
import { eventually, startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lane } from '../src/redis/lane.js';
import { sendAmendment } from '../src/scripts/amend.js';
import { sendRun } from '../src/scripts/runs.js';
import type { StoreReply, StoreRequest } from '../src/stores/decision-store.js';
import { freeze } from './freeze.js';
import { HandTime } from './hand-time.js';
import { compiled, fixedWindowPolicy } from './policies.js';

const LIMIT = 1_000_000;
const ROUNDS = 10;
/** Long enough for calls of several turns to wait for the frozen server together. */
const DEADLINE_MS = 250;
/** Four times the number of amendments that a lane keeps in flight. */
const CHANGES = 4 * 64;
const { policy, keyStem } = compiled(
  fixedWindowPolicy({ limit: LIMIT, windowMs: 86_400_000, alignment: 'first_request' }),
);
const request: StoreRequest = { checks: [{ key: `{acme}${keyStem}`, policy, cost: 1 }], peek: false };

describe('lane to a server that freezes', () => {
  let server: Awaited<ReturnType<typeof startRealRedis>>;
  let redis: Redis;
  let lane: Lane;
  let changesOnTheWay = 0;
  let mostOnTheWay = 0;

  beforeEach(async () => {
    server = await startRealRedis();
    redis = new Redis(server.url);
    await connectLane();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    lane.close();
    redis.disconnect();
    await server.stop();
  });

  async function connectLane(deadlineMs = DEADLINE_MS): Promise<void> {
    lane = new Lane({
      send: (run, options) => sendRun(redis, run, options),
      sendAmendment: (amendment, options) => {
        mostOnTheWay = Math.max(mostOnTheWay, ++changesOnTheWay);
        return sendAmendment(redis, amendment, options).finally(() => changesOnTheWay--);
      },
      isConnected: () => redis.status === 'ready',
      deadlineMs,
      onFailure: () => undefined,
    });
    await eventually(async () => (await lane.charge({ ...request, peek: true })).available);
  }

  /** The remaining units, once the server is used again. */
  async function remaining(): Promise<number> {
    const { checks } = await eventually(async () => {
      const reply = await lane.charge({ ...request, peek: true });
      return reply.available && reply;
    });
    return checks[0]?.remaining ?? Number.NaN;
  }

  it('a server that thaws after the deadline charges nothing for calls that already got a reply', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      // Otherwise, this many freezes per second would open the breaker.
      await connectLane();
      await eventually(async () => (await lane.charge(request)).available);
      const before = await remaining();
      expect(before).toBeLessThan(LIMIT - round);
      await freeze(server);
      const calls: Promise<StoreReply>[] = [];
      // Two calls fill the connection, the others wait.
      for (let turn = 0; turn < 4; turn++) {
        for (let i = 0; i < 10; i++) calls.push(lane.charge(request));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const replies = await Promise.all(calls);
      expect(replies.filter((reply) => reply.available)).toHaveLength(0);
      server.kill('SIGCONT');
      expect(await remaining()).toBe(before);
    }
  });

  it('applies concurrent amendments, many in flight', async () => {
    // No amendment waits too long, however slow the server is.
    new HandTime().install();
    await connectLane(600_000);
    const changes = Array.from({ length: CHANGES }, () =>
      lane.amend({ op: 'charge', checks: request.checks }),
    );
    for (const reply of await Promise.all(changes)) expect(reply).toMatchObject({ status: 'applied' });
    expect(LIMIT - (await remaining())).toBe(CHANGES);
    expect(mostOnTheWay).toBe(CHANGES / 4);
  });
});
