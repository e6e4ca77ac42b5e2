import { hkdfSync } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { ApiError } from '../api-error.js';
import type { Done, Step, StepLog } from '../changes/outcome.js';
import { newId } from '../ids.js';
import { ScheduledJob } from '../jobs/jobs-runner.js';
import { Log } from '../log.js';
import type { Tx } from '../prisma/database.js';
import { decrypt, encrypt } from '../secrets.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { hashKey, type IdempotentRequest } from './idempotent-request.js';

/**
 * Encrypts stored responses, because they may contain secrets that are shown once. The encryption key is derived from
 * the idempotency key, which the database stores only as a hash; actor and step are authenticated data.
 */
export class Seal {
  private readonly secret: Buffer;
  private readonly actorId: string;

  constructor(pepper: string, { actorId, key }: Pick<IdempotentRequest, 'actorId' | 'key'>) {
    this.actorId = actorId;
    this.secret = Buffer.from(hkdfSync('sha256', pepper, key, 'tollgate idempotency answer', 32));
  }

  /** @param step `answer`, or the name of a step. @param value plain data; dates and bigints keep their types */
  close(step: string, value: unknown): Uint8Array<ArrayBuffer> {
    return new Uint8Array(encrypt(this.secret, serialize(value), this.boundTo(step)));
  }

  /** @throws ApiError IDEMPOTENCY_MISMATCH for another key, pepper, actor or step */
  open<T>(step: string, closed: Uint8Array): T {
    try {
      return deserialize(decrypt(this.secret, closed, this.boundTo(step))) as T;
    } catch (cause) {
      const message =
        'The answer kept under this Idempotency-Key cannot be read: an earlier version or another TOKEN_PEPPER sealed it. Check whether the first request took effect before sending a new key.';
      throw Object.assign(new ApiError('IDEMPOTENCY_MISMATCH', message, {}, {}), { cause });
    }
  }

  private boundTo(step: string): Uint8Array {
    return Buffer.from(JSON.stringify([this.actorId, step]));
  }
}

export class KeptSteps {
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly keyId: string,
    private readonly seal: Seal,
  ) {}

  /** Steps of one mutation of the document, by its response key; mutations run sequentially. */
  of(responseKey: string): StepLog {
    let made = 0;
    return { next: () => this.step(`${responseKey}#${made++}`) };
  }

  private step(name: string): Step {
    const { repository, keyId, seal } = this;
    return {
      begin: async <T>(tx: Tx) => {
        const kept = await repository.beginStep(tx, keyId, name);
        return kept === undefined ? undefined : seal.open<Done<T>>(name, kept);
      },
      finish: (tx, done) => repository.finishStep(tx, keyId, name, seal.close(name, done)),
    };
  }
}

/** A repetition takes over if the holder does not renew its lease within this time. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3000;

/** Time that a repetition waits for the first request; below the timeouts of proxies. */
const MAX_WAIT_MS = 25_000;
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 250;

const ANSWER = 'answer';

/** The stored part of a response, without extensions. */
export interface KeptAnswer {
  data: Record<string, unknown>;
  errors?: readonly unknown[];
}

/** The right to run a request. */
export interface HeldKey {
  steps: KeptSteps;
  /** Stores the response. If another process took over, its response counts. */
  answer(answer: KeptAnswer): Promise<void>;
  /** Lets the next repetition run, except for committed steps. */
  release(): Promise<void>;
}

export type Opened = { held: HeldKey } | { answer: KeptAnswer };

/** A request in this process for which others wait. */
interface Flight {
  bodyHash: Buffer;
  /** Undefined: no response was stored. */
  landed: Promise<KeptAnswer | undefined>;
}

type Landing = (answer: KeptAnswer | undefined) => void;

/** Runs a mutation once per Idempotency-Key and returns its response to all repetitions. */
@Injectable()
export class IdempotencyKeys {
  private readonly flights = new Map<string, Flight>();

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly config: AppConfig,
    private readonly log: Log,
  ) {}

  /**
   * Returns the right to run the request, or its stored response; waits for a running one. @throws ApiError
   * IDEMPOTENCY_MISMATCH if the key belongs to another request, IDEMPOTENCY_IN_PROGRESS if the first takes too long
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

  /** Polls the database once for all waiting requests of this process. */
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
    // The key has expired and is not deleted yet.
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

@ScheduledJob({ name: 'forget-idempotency-keys', everyMs: 600_000 })
export class ForgetIdempotencyKeysJob {
  constructor(private readonly repository: IdempotencyRepository) {}

  run(): Promise<number> {
    return this.repository.forget();
  }
}
