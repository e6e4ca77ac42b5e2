import type { LimitPolicy } from '@tollgate/contracts';
import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect } from 'vitest';
import { algorithmOf } from '../src/algorithms/index.js';
import { MemoryStore } from '../src/memory/memory-store.js';
import { sendBatch } from '../src/scripts/decide.js';
import type { Decided, StoreRequest } from '../src/stores/decision-store.js';
import { compiled } from './policies.js';

/** 10:00:00, the start of the examples, on a day far ahead (see script-clock.ts). Unix ms. */
export const TEN_MS = Date.UTC(2040, 3, 21, 10);

let subjects = 0;

/** A caller under some limits, with requests at exact times: each is decided by the scripts and by the models. */
export class TimedCaller {
  private nowUs = 0;
  private readonly model = new MemoryStore({ clockUs: () => this.nowUs, maxKeys: 4 });
  private readonly request: StoreRequest;

  constructor(
    private readonly redis: Redis,
    limits: readonly LimitPolicy[],
  ) {
    subjects++;
    const checks = limits.map((limit) => {
      const { policy, keyStem } = compiled(limit);
      return { key: `{caller-${process.pid}-${subjects}}${keyStem}`, policy, cost: 1 };
    });
    this.request = { checks, peek: false };
  }

  /**
   * Decides several requests at one time, in order. @param afterMs milliseconds after 10:00:00, with microsecond
   * precision
   */
  async ask(afterMs: number, requests = 1): Promise<Decided[]> {
    this.nowUs = TEN_MS * 1000 + Math.round(afterMs * 1000);
    const batch = Array.from({ length: requests }, () => this.request);
    const expected = batch.map((one) => this.model.chargeNow(one));
    const decided = await sendBatch(this.redis, batch, { nowUs: this.nowUs });
    expect(decided).toEqual(expected);
    return decided;
  }

  /** Number of requests at one time that are allowed. */
  async passed(afterMs: number, requests: number): Promise<number> {
    return (await this.ask(afterMs, requests)).filter((reply) => reply.allowed).length;
  }

  /** Stored state of the first limit. */
  async stored(): Promise<unknown> {
    const check = this.request.checks[0];
    const text = await this.redis.getBuffer(check?.key ?? '');
    return algorithmOf(check?.policy.kind ?? 'gcra').decode(text?.toString('latin1').slice(0, -3) ?? '');
  }
}

/** Registers a Redis for the file; @returns a function that creates a caller for some limits */
export function useTimedCallers(): (...limits: LimitPolicy[]) => TimedCaller {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });
  return (...limits) => new TimedCaller(redis, limits);
}
