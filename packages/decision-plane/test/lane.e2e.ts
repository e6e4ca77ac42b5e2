import { readFileSync } from 'node:fs';
import { startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { amend } from '../src/scripts/amend.js';
import { decideRun } from '../src/scripts/runs.js';
import type { StoreReply, StoreRequest } from '../src/store/decision-store.js';
import { Lane } from '../src/store/redis/lane.js';
import { compiled, fixedWindowPolicy } from './policies.js';

const LIMIT = 1_000_000;
const ROUNDS = 10;
/** Enough for a busy machine to reply to an undisturbed call. */
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
    lane.close();
    redis.disconnect();
    await server.stop();
  });

  async function connectLane(deadlineMs = DEADLINE_MS): Promise<void> {
    lane = new Lane({
      send: (run, options) => decideRun(redis, run, options),
      sendAmendment: (amendment, options) => {
        mostOnTheWay = Math.max(mostOnTheWay, ++changesOnTheWay);
        return amend(redis, amendment, options).finally(() => changesOnTheWay--);
      },
      isConnected: () => redis.status === 'ready',
      deadlineMs,
      onFailure: () => undefined,
    });
    await vi.waitUntil(async () => (await lane.decide({ ...request, peek: true })).available, 120_000);
  }

  async function freeze(): Promise<void> {
    server.kill('SIGSTOP');
    await vi.waitUntil(() => readFileSync(`/proc/${server.pid}/stat`, 'utf8').includes(') T '), {
      timeout: 120_000,
      interval: 1,
    });
  }

  /** The remaining units, once the server is used again. */
  async function remaining(): Promise<number> {
    let reply: StoreReply | undefined;
    await vi.waitUntil(
      async () => {
        reply = await lane.decide({ ...request, peek: true });
        return reply.available;
      },
      { timeout: 120_000, interval: 1 },
    );
    return reply?.available === true ? (reply.checks[0]?.remaining ?? Number.NaN) : Number.NaN;
  }

  it('a server that thaws after the deadline charges nothing for calls that already got a reply', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      // Otherwise, this many freezes per second would open the breaker.
      await connectLane();
      await lane.decide(request);
      const before = await remaining();
      expect(before).toBeLessThan(LIMIT - round);
      await freeze();
      const calls: Promise<StoreReply>[] = [];
      // Two calls fill the connection, the others wait.
      for (let turn = 0; turn < 4; turn++) {
        for (let i = 0; i < 10; i++) calls.push(lane.decide(request));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const replies = await Promise.all(calls);
      expect(replies.filter((reply) => reply.available)).toHaveLength(0);
      server.kill('SIGCONT');
      expect(await remaining()).toBe(before);
    }
  });

  it('uses the server again at once: one freeze does not open the breaker', async () => {
    await freeze();
    expect(await lane.decide(request)).toEqual({ available: false, reason: 'deadline' });
    server.kill('SIGCONT');
    const reasons = new Set<string>();
    await vi.waitUntil(
      async () => {
        const reply = await lane.decide(request);
        reasons.add(reply.available ? 'available' : reply.reason);
        return reply.available;
      },
      { timeout: 120_000, interval: 1 },
    );
    expect(reasons).not.toContain('open');
  });

  it('applies concurrent amendments, many in flight', async () => {
    await connectLane(10_000);
    let applied = 0;
    const changeOften = async () => {
      const changes = Array.from({ length: CHANGES }, () =>
        lane.amend({ op: 'charge', checks: request.checks }),
      );
      const done = (await Promise.all(changes)).filter((reply) => reply.available).length;
      applied += done;
      return done;
    };
    // A process that pauses for a second does not send amendments that waited that long; retry them.
    await expect.poll(changeOften, { timeout: 120_000 }).toBe(CHANGES);
    expect(LIMIT - (await remaining())).toBe(applied);
    expect(mostOnTheWay).toBe(CHANGES / 4);
  });
});
