import { Injectable } from '@nestjs/common';
import type { Penalty } from '@tollgate/contracts';
import {
  type CompiledLimit,
  compileLimit,
  counterKey,
  dimensionValue,
  ownTag,
} from '@tollgate/limiter/rules';
import { type Check, MemoryStore } from '@tollgate/limiter/stores';
import { ApiError } from '../../../platform/api-error.js';
import { RedisConnections } from '../../../platform/redis.js';

/** `[attempts at once, seconds until one more is allowed]` */
export type Rate = readonly [burst: number, refillSeconds: number];

interface Rates {
  /** Per IP address; IPv6 per /64. */
  address: readonly Rate[];
  /** Per account, counted separately for unknown devices (together) and for each known device. */
  account: readonly Rate[];
  /** Per account and IP address, for unknown devices: a source that keeps guessing is blocked for this account only. */
  source?: readonly [Rate, Penalty];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Blocked requests charge no other bucket, so one source cannot use up the attempts of the account on unknown devices. */
const GUESSING: Penalty = {
  denials: 5,
  windowMs: 30 * MINUTE_MS,
  blockMs: 15 * MINUTE_MS,
  maxBlockMs: 24 * HOUR_MS,
};

/**
 * All rates of a kind apply, so the wait grows with the number of failures. Unknown devices together get about 200
 * password guesses a day and about 70 guesses of a second factor.
 */
const RATES = {
  password: {
    address: [
      [30, 2],
      [100, 30],
    ],
    account: [
      [10, 10],
      [30, 60],
      [60, 600],
    ],
    source: [[5, 60], GUESSING],
  },
  'second-factor': {
    address: [
      [30, 2],
      [100, 30],
    ],
    account: [
      [5, 30],
      [10, 300],
      [20, 1800],
    ],
    source: [[5, 300], GUESSING],
  },
  'password-reset': {
    address: [
      [10, 60],
      [30, 300],
    ],
    account: [
      [3, 60],
      [6, 600],
      [12, 7200],
    ],
  },
  'sign-up': {
    address: [
      [30, 120],
      [60, 1440],
    ],
    account: [
      [5, 600],
      [10, 8640],
    ],
  },
  invitation: { address: [[30, 120]], account: [] },
  'test-request': { address: [], account: [[30, 2]] },
  link: {
    address: [
      [30, 2],
      [100, 30],
    ],
    account: [],
  },
} as const satisfies Record<string, Rates>;

export type AttemptKind = keyof typeof RATES;

export interface Attempt {
  kind: AttemptKind;
  address: string;
  /** Mail address of the account, whether it exists or not. */
  account?: string;
  /** Set for a device on which this account has signed in before. */
  deviceId?: string | undefined;
}

export interface CountedAttempt {
  /** For successful attempts and server errors. */
  refund(): void;
}

/**
 * Limits attempts to guess a secret or to trigger a mail, with our own engine in the counters' Redis. A known device of
 * an account has its own bucket, so attackers slow down unknown devices only, and one source is soon blocked for the
 * account. While Redis is unavailable, each process counts in its own memory.
 */
@Injectable()
export class AttemptLimiter {
  private readonly limits = compileAll();
  private readonly local = new MemoryStore({ maxKeys: 10_000 });

  constructor(private readonly redis: RedisConnections) {}

  /** Counts an attempt before its outcome is known. @throws ApiError THROTTLED with `retryAfter` in seconds */
  take(attempt: Attempt): Promise<CountedAttempt> {
    return this.charge(this.checksOf(attempt));
  }

  /** All checks or none. @throws ApiError THROTTLED with `retryAfter` in seconds */
  async charge(checks: Check[]): Promise<CountedAttempt> {
    const reply = await this.redis.counters.charge({ checks, peek: false });
    const decided = reply.available ? reply : this.local.chargeNow({ checks, peek: false });
    const store = reply.available ? this.redis.counters : this.local;
    if (decided.allowed) return { refund: () => void store.amend({ op: 'refund', checks }) };
    const waitUs = Math.max(...decided.checks.map((check) => (check.allowed ? 0 : check.waitUs)));
    const retryAfter = Math.max(1, Math.ceil(waitUs / 1_000_000));
    throw new ApiError('THROTTLED', `Too many attempts. Try again in ${waitText(retryAfter)}.`, {
      retryAfter,
    });
  }

  private checksOf({ kind, address, account, deviceId }: Attempt): Check[] {
    const { address: byAddress, account: byAccount, source: bySource } = this.limits[kind];
    const accountPart = keyPart(`${kind} ${account?.trim().toLowerCase()}`);
    if (account !== undefined && deviceId !== undefined)
      return checksAt(byAccount, [accountPart, keyPart(deviceId)]);
    // Invalid addresses share one bucket, so that they cannot be used to get new buckets.
    const addressPart = dimensionValue('ip', address) ?? '~';
    return [
      ...checksAt(byAddress, [keyPart(kind), addressPart]),
      ...(account === undefined
        ? []
        : [...checksAt(byAccount, [accountPart, '=']), ...checksAt(bySource, [accountPart, addressPart])]),
    ];
  }
}

export function checksAt(limits: readonly CompiledLimit[], values: string[]): Check[] {
  return limits.map(({ keyStem, policy }) => ({
    key: counterKey(ownTag('people'), keyStem, values),
    policy,
    cost: 1,
  }));
}

export const keyPart = (text: string): string => dimensionValue('who', text) ?? '=';

function compileAll(): Record<AttemptKind, Record<keyof Rates, CompiledLimit[]>> {
  const compiled = Object.entries<Rates>(RATES).map(([kind, { address, account, source }]) => [
    kind,
    {
      address: address.map((rate) => compileRate('address', rate)),
      account: account.map((rate) => compileRate('account', rate)),
      source: source === undefined ? [] : [compileRate('source', ...source)],
    },
  ]);
  return Object.fromEntries(compiled);
}

const DIMENSIONS: Record<keyof Rates, string[]> = {
  address: ['kind', 'address'],
  account: ['account', 'device'],
  source: ['account', 'address'],
};

function compileRate(by: keyof Rates, rate: Rate, penalty?: Penalty): CompiledLimit {
  return compileBucket(`attempts-${by}`, DIMENSIONS[by], rate, penalty);
}

export function compileBucket(
  name: string,
  per: string[],
  [burst, refillSeconds]: Rate,
  penalty?: Penalty,
): CompiledLimit {
  const compiled = compileLimit({
    name: `${name}-${burst}-${refillSeconds}`,
    api: 'people',
    operations: [],
    per,
    algorithm: 'token_bucket',
    limit: 1,
    windowMs: refillSeconds * 1000,
    capacity: burst,
    refill: 'continuous',
    onUnavailable: 'share',
    penalty,
  });
  if (!compiled.ok) throw new Error(compiled.errors[0]?.message);
  return compiled.limit;
}

function waitText(seconds: number): string {
  if (seconds === 1) return '1 second';
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
