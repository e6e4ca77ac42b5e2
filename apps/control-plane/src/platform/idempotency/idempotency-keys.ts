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
        'The stored response of this Idempotency-Key cannot be read: an earlier version or another TOKEN_PEPPER encrypted it. Check whether the first request took effect before you use a new key.';
      throw Object.assign(new ApiError('IDEMPOTENCY_MISMATCH', message, {}, {}), { cause });
    }
  }

  private boundTo(step: string): Uint8Array {
    return Buffer.from(JSON.stringify([this.actorId, step]));
  }
}

export class StoredSteps {
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
export interface StoredResponse {
  data: Record<string, unknown>;
  errors?: readonly unknown[];
}

/** The right to run a request. */
export interface ClaimedKey {
  steps: StoredSteps;
  /** Stores the response, later if the database is unavailable. If another process took over, its response counts. */
  answer(answer: StoredResponse): Promise<void>;
  /** Lets the next repetition run, except for committed steps. */
  release(): Promise<void>;
}

export type Opened = { claimed: ClaimedKey } | { answer: StoredResponse };

/** A request in this process for which others wait. */
interface SharedRequest {
  bodyHash: Buffer;
  /** Undefined: no response was stored. */
  response: Promise<StoredResponse | undefined>;
}

type Respond = (answer: StoredResponse | undefined) => void;

/** Runs a mutation once per Idempotency-Key and returns its response to all repetitions. */
@Injectable()
export class IdempotencyKeys {
  private readonly shared = new Map<string, SharedRequest>();

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
      const running = this.shared.get(name);
      if (running === undefined) return this.openShared(name, request, deadlineMs);
      if (!running.bodyHash.equals(request.bodyHash)) throw mismatch();
      const answer = await inTime(running.response, deadlineMs);
      if (answer !== undefined) return { answer };
    }
    throw inProgress();
  }

  /** Polls the database once for all waiting requests of this process. */
  private async openShared(name: string, request: IdempotentRequest, deadlineMs: number): Promise<Opened> {
    const { promise: response, resolve } = Promise.withResolvers<StoredResponse | undefined>();
    const respond: Respond = (answer) => {
      this.shared.delete(name);
      resolve(answer);
    };
    this.shared.set(name, { bodyHash: request.bodyHash, response });
    try {
      for (
        let pollMs = FIRST_POLL_MS;
        performance.now() < deadlineMs;
        pollMs = Math.min(pollMs * 2, LAST_POLL_MS)
      ) {
        const opened = await this.tryOpen(request, respond);
        if (opened !== undefined) return opened;
        await delay(pollMs);
      }
      throw inProgress();
    } catch (error) {
      respond(undefined);
      throw error;
    }
  }

  private async tryOpen(request: IdempotentRequest, respond: Respond): Promise<Opened | undefined> {
    const seal = new Seal(this.config.tokenPepper, request);
    const leaseId = newId('idempotencyKey');
    const keyId = await this.repository.claim(request, leaseId, LEASE_MS);
    if (keyId !== undefined) return { claimed: this.claimed(keyId, leaseId, seal, respond) };
    const kept = await this.repository.find(request);
    if (kept !== undefined && !request.bodyHash.equals(kept.bodyHash)) throw mismatch();
    // The key has expired and is not deleted yet.
    if (kept === undefined) await this.repository.deleteExpired();
    if (kept?.answer == null) return undefined;
    const answer = seal.open<StoredResponse>(ANSWER, kept.answer);
    respond(answer);
    return { answer };
  }

  private claimed(keyId: string, leaseId: string, seal: Seal, respond: Respond): ClaimedKey {
    const timer = setInterval(() => {
      this.repository.renew(leaseId, LEASE_MS).catch((error: unknown) => {
        this.log.warn({ error: String(error), keyId }, 'idempotency key lease not renewed');
      });
    }, RENEW_EVERY_MS);
    const finish = async (write: () => Promise<StoredResponse | undefined>): Promise<void> => {
      clearInterval(timer);
      let answer: StoredResponse | undefined;
      try {
        answer = await write();
      } catch (error) {
        this.log.warn({ error: String(error), keyId }, 'idempotency key not finished; retrying');
        void this.repeat(write, keyId);
      } finally {
        respond(answer);
      }
    };
    const keep = async (answer: StoredResponse) =>
      (await this.repository.answer(leaseId, seal.close(ANSWER, answer))) ? answer : undefined;
    const release = () => this.repository.release(leaseId).then(() => undefined);
    return {
      steps: new StoredSteps(this.repository, keyId, seal),
      answer: (answer) => finish(() => keep(answer)),
      release: () => finish(release),
    };
  }

  /** Until the lease is over: repetitions wait for it. */
  private async repeat(write: () => Promise<unknown>, keyId: string): Promise<void> {
    const endMs = performance.now() + LEASE_MS;
    while (performance.now() < endMs) {
      await delay(LAST_POLL_MS, undefined, { ref: false });
      const isStored = await write().then(
        () => true,
        () => false,
      );
      if (isStored) return;
    }
    this.log.warn({ keyId }, 'idempotency key not finished before its lease expired');
  }
}

function mismatch(): ApiError {
  const message = 'This Idempotency-Key belongs to another request. Use a new key for each request.';
  return new ApiError('IDEMPOTENCY_MISMATCH', message, {}, {});
}

function inProgress(): ApiError {
  const message = 'The first request with this Idempotency-Key is still running. Try again.';
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

@ScheduledJob({ name: 'idempotency-retention', everyMs: 600_000 })
export class IdempotencyRetentionJob {
  constructor(private readonly repository: IdempotencyRepository) {}

  run(): Promise<number> {
    return this.repository.deleteExpired();
  }
}
