import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { ApiError } from '../errors/api-error.js';
import { newId } from '../ids/new-id.js';
import { Log } from '../logging/log.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { hashKey, type IdempotentRequest } from './idempotent-request.js';
import { KeptSteps } from './kept-steps.js';
import { Seal } from './seal.js';

/** Whoever does not renew for so long is gone, and a repetition takes over. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3000;

/** A repetition waits so long for the first to be answered; below what proxies wait for us. */
const MAX_WAIT_MS = 25_000;
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 250;

/** Names the whole answer in its seal, beside the names of steps. */
const ANSWER = 'answer';

/** What a mutation was answered, apart from what concerns a single sending of it. */
export interface KeptAnswer {
  data: Record<string, unknown>;
  errors?: readonly unknown[];
}

/** The right to run a request, held until it is answered or released. */
export interface HeldKey {
  steps: KeptSteps;
  /** Keeps the answer for whoever asks again; another's counts if that one took over meanwhile. */
  answer(answer: KeptAnswer): Promise<void>;
  /** Nothing is worth keeping: the next one runs it again, except for steps that were committed. */
  release(): Promise<void>;
}

export type Opened = { held: HeldKey } | { answer: KeptAnswer };

/** One sending in this process that others wait for. */
interface Flight {
  bodyHash: Buffer;
  /** Undefined: it left no answer. */
  landed: Promise<KeptAnswer | undefined>;
}

/** Tells those who wait in this process; called once. */
type Landing = (answer: KeptAnswer | undefined) => void;

/** Makes mutations that are sent twice under one key happen once, and answers both alike. */
@Injectable()
export class IdempotencyKeys {
  private readonly flights = new Map<string, Flight>();

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly config: AppConfig,
    private readonly log: Log,
  ) {}

  /**
   * The right to run the request, or what it was answered before; one that still runs is waited for.
   * @throws ApiError IDEMPOTENCY_MISMATCH when the key stands for another request, IDEMPOTENCY_IN_PROGRESS when the first
   *   takes too long
   */
  async open(request: IdempotentRequest): Promise<Opened> {
    const name = hashKey(request).toString('base64');
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    while (performance.now() < deadlineMs) {
      const flight = this.flights.get(name);
      if (flight === undefined) return this.fly(name, request, deadlineMs);
      if (!flight.bodyHash.equals(request.bodyHash)) throw mismatch();
      const answer = await inTime(flight.landed, deadlineMs);
      if (answer !== undefined) return { answer };
    }
    throw inProgress();
  }

  /** Asks the database for all in this process that wait for the same key. */
  private async fly(name: string, request: IdempotentRequest, deadlineMs: number): Promise<Opened> {
    const { promise: landed, resolve } = Promise.withResolvers<KeptAnswer | undefined>();
    const land: Landing = (answer) => {
      this.flights.delete(name);
      resolve(answer);
    };
    this.flights.set(name, { bodyHash: request.bodyHash, landed });
    try {
      for (
        let pollMs = FIRST_POLL_MS;
        performance.now() < deadlineMs;
        pollMs = Math.min(pollMs * 2, LAST_POLL_MS)
      ) {
        const opened = await this.tryOpen(request, land);
        if (opened !== undefined) return opened;
        // Another process runs it.
        await delay(pollMs);
      }
      throw inProgress();
    } catch (error) {
      land(undefined);
      throw error;
    }
  }

  private async tryOpen(request: IdempotentRequest, land: Landing): Promise<Opened | undefined> {
    const seal = new Seal(this.config.tokenPepper, request);
    const leaseId = newId('idempotencyKey');
    const keyId = await this.repository.claim(request, leaseId, LEASE_MS);
    if (keyId !== undefined) return { held: this.hold(keyId, leaseId, seal, land) };
    const kept = await this.repository.find(request);
    if (kept !== undefined && !request.bodyHash.equals(kept.bodyHash)) throw mismatch();
    // Its day is over, and the job that deletes such keys has not come by yet.
    if (kept === undefined) await this.repository.forget();
    if (kept?.answer == null) return undefined;
    const answer = seal.open<KeptAnswer>(ANSWER, kept.answer);
    land(answer);
    return { answer };
  }

  private hold(keyId: string, leaseId: string, seal: Seal, land: Landing): HeldKey {
    const timer = setInterval(() => {
      this.repository.renew(leaseId, LEASE_MS).catch((error: unknown) => {
        this.log.warn({ error: String(error), keyId }, 'The hold on an idempotency key could not be renewed');
      });
    }, RENEW_EVERY_MS);
    const settle = async (work: Promise<KeptAnswer | undefined>): Promise<void> => {
      clearInterval(timer);
      let answer: KeptAnswer | undefined;
      try {
        answer = await work;
      } finally {
        land(answer);
      }
    };
    const keep = async (answer: KeptAnswer) =>
      (await this.repository.answer(leaseId, seal.close(ANSWER, answer))) ? answer : undefined;
    return {
      steps: new KeptSteps(this.repository, keyId, seal),
      answer: (answer) => settle(keep(answer)),
      release: () => settle(this.repository.release(leaseId).then(() => undefined)),
    };
  }
}

function mismatch(): ApiError {
  const message = 'This Idempotency-Key was sent with another request. Take a new key for a new request.';
  return new ApiError('IDEMPOTENCY_MISMATCH', message, {}, {});
}

function inProgress(): ApiError {
  const message = 'The request that was sent first under this Idempotency-Key still runs. Ask again.';
  return new ApiError(
    'IDEMPOTENCY_IN_PROGRESS',
    message,
    { retryAfter: 1 },
    { headers: { 'retry-after': '1' } },
  );
}

async function inTime<T>(promise: Promise<T>, deadlineMs: number): Promise<T | undefined> {
  const timeout = new AbortController();
  const late = delay(Math.max(0, deadlineMs - performance.now()), undefined, { signal: timeout.signal });
  try {
    return await Promise.race([promise, late.catch(() => undefined)]);
  } finally {
    timeout.abort();
  }
}
