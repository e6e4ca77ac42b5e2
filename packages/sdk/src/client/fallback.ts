import { type LimitAnswer, type LimitResult } from '@tollgate/contracts/answers';
import { type Problem } from '@tollgate/contracts/problems';
import { type Amended, type Decision, localDecision } from './decision.js';
import {
  type FaultChoice,
  isCallerFault,
  isUncountable,
  type TollgateFault,
  type Unavailable,
  type UnavailableError,
} from './errors.js';
import { isProblemItem } from './http-transport.js';
import { type LimitRequest } from './requests.js';

/** Raised for each request without a decision in time; `onUnavailable` decided. */
export interface UnavailableEvent extends Unavailable {
  kind: 'unavailable';
}

/** Raised for the first answer after requests without a decision in time. */
export interface AvailableEvent {
  kind: 'available';
  /** Since the first of these requests. */
  afterMs: number;
  /** Number of these requests. */
  requests: number;
}

/** Raised for each call that Tollgate rejected (400, 401, 403, 404, 409); `onFault` decided. */
export interface FaultEvent {
  kind: 'fault';
  code: Problem['code'];
  message: string;
  problem: Problem;
  applied: FaultChoice;
}

/** Raised once per API and operation that no limit covers: the name may be misspelled. */
export interface NoLimitEvent {
  kind: 'no-limit';
  api: string;
  operation: string;
}

export type TollgateEvent = UnavailableEvent | AvailableEvent | FaultEvent | NoLimitEvent;

/** Further operations raise no event. */
const MAX_UNLIMITED = 1000;

/** Minimum distance between outages on the console: single late answers would fill a log. */
const MIN_OUTAGE_INTERVAL_MS = 60_000;

interface Outage {
  readonly sinceMs: number;
  readonly isLogged: boolean;
  requests: number;
}

/**
 * Without `onEvent`, the console shows the start and the end of an outage (at most one a minute), the first fault of each code and each
 * operation without a limit. An `onEvent` that throws never fails a request.
 */
export class Events {
  private readonly warned = new Set<string>();
  private readonly unlimited = new Set<string>();
  private outage: Outage | undefined;
  private loggedOutageAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs monotonic time */
  constructor(
    private readonly onEvent: ((event: TollgateEvent) => void) | undefined,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** A request got no decision in time. */
  unavailable(unavailable: Unavailable): void {
    const nowMs = this.nowMs();
    if (this.outage === undefined) {
      const isLogged = nowMs - this.loggedOutageAtMs >= MIN_OUTAGE_INTERVAL_MS;
      if (isLogged) this.loggedOutageAtMs = nowMs;
      this.outage = { sinceMs: nowMs, isLogged, requests: 0 };
    }
    this.outage.requests++;
    this.emit({ kind: 'unavailable', ...unavailable });
  }

  /** Tollgate answered. */
  answered(): void {
    if (this.outage === undefined) return;
    const { sinceMs, requests } = this.outage;
    this.emit({ kind: 'available', afterMs: Math.round(this.nowMs() - sinceMs), requests });
    this.outage = undefined;
  }

  emit(event: TollgateEvent): void {
    if (this.onEvent === undefined) {
      this.log(event);
      return;
    }
    try {
      this.onEvent(event);
    } catch (error) {
      console.error('tollgate: onEvent threw', error);
    }
  }

  noLimit(api: string, operation: string): void {
    const name = `${api}/${operation}`;
    if (this.unlimited.has(name) || this.unlimited.size >= MAX_UNLIMITED) return;
    this.unlimited.add(name);
    this.emit({ kind: 'no-limit', api, operation });
  }

  private log(event: TollgateEvent): void {
    if (event.kind === 'unavailable' || event.kind === 'available') this.logOutage(event);
    else this.warnOnce(event);
  }

  private logOutage(event: UnavailableEvent | AvailableEvent): void {
    if (this.outage?.isLogged !== true) return;
    if (event.kind === 'available') {
      const seconds = (event.afterMs / 1000).toFixed(1);
      console.info(
        `tollgate: available after ${seconds} s; onUnavailable decided ${event.requests} requests`,
      );
    } else if (this.outage.requests === 1) {
      console.warn(`tollgate: unavailable: ${event.cause}: ${event.message}; onUnavailable decides`);
    }
  }

  private warnOnce(event: FaultEvent | NoLimitEvent): void {
    if (event.kind === 'no-limit') {
      console.warn(
        `tollgate: no limit covers operation "${event.operation}" of API "${event.api}"; is the name correct?`,
      );
      return;
    }
    if (event.applied === 'throw' || this.warned.has(event.code)) return;
    this.warned.add(event.code);
    const { code, message, applied } = event;
    console.warn(
      `tollgate: ${applied === 'deny' ? 'requests are denied' : 'limits are not applied'}: ${code}: ${message}; onFault applied '${applied}'`,
    );
  }
}

/** The least recently used are dropped. */
const MAX_ENTRIES = 10_000;

/** State after the last answer or the last local decision. */
interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  units: number;
  atMs: number;
}

export interface LocalVerdict {
  success: boolean;
  /** The limit that denied, or the one with the least remaining; absent if no limit is known. */
  policy?: string;
  limit?: number;
  remaining?: number;
  retryAfter?: number;
}

/**
 * Limiter while Tollgate is unavailable.
 * For each kind of request (tenant or key, API, operation and subject; up to 10,000), it keeps the enforced limits of
 * the last answer as token buckets that start at `remaining`, hold up to `limit` and refill at `limit` per window. A
 * request is allowed if each bucket has its cost; a denial takes nothing. An unknown kind uses full buckets with the
 * limits last seen for its operation; without any, it is allowed.
 * Without the limiter's models, because the SDK brings no dependency and knows limits only from answers.
 * Limitations: `n` processes may allow `n` times the limit; a limit shared by several subjects applies to each of them
 * separately; local requests are not charged later.
 */
export class LocalLimiter {
  private readonly buckets = new Map<string, Bucket[]>();
  private readonly operations = new Map<string, Bucket[]>();

  constructor(private readonly nowMs: () => number = Date.now) {}

  learn(request: LimitRequest, answer: object): void {
    if (isProblemItem(answer)) return;
    const { policies, degraded } = answer as LimitAnswer;
    if (degraded) return; // a degraded node does not have the state of the limit
    const nowMs = this.nowMs();
    const learnt = policies.filter(isEnforced).map((policy) => bucketOf(policy, nowMs));
    setNewest(this.operations, operationOf(request), learnt);
    setNewest(this.buckets, kindOf(request), learnt);
  }

  decide(request: LimitRequest, isPeek = false): LocalVerdict {
    const nowMs = this.nowMs();
    const buckets = this.bucketsOf(request, nowMs);
    for (const bucket of buckets) refill(bucket, nowMs);
    const cost = request.cost ?? 1;
    const short = buckets.filter((bucket) => bucket.units < cost);
    if (short.length === 0 && !isPeek) for (const bucket of buckets) bucket.units -= cost;
    const [tightest] = (short.length > 0 ? short : buckets).toSorted(
      (a, b) => waitMs(b, cost) - waitMs(a, cost),
    );
    if (tightest === undefined) return { success: true };
    const { name: policy, limit, units } = tightest;
    const found = { policy, limit, remaining: Math.floor(units) };
    if (short.length === 0) return { success: true, ...found };
    return { success: false, ...found, retryAfter: Math.max(1, Math.ceil(waitMs(tightest, cost) / 1000)) };
  }

  private bucketsOf(request: LimitRequest, nowMs: number): Bucket[] {
    const kind = kindOf(request);
    const known = this.buckets.get(kind);
    if (known !== undefined) return known;
    const limits = this.operations.get(operationOf(request)) ?? [];
    const fresh = limits.map((bucket) => ({ ...bucket, units: bucket.limit, atMs: nowMs }));
    setNewest(this.buckets, kind, fresh);
    return fresh;
  }
}

function isEnforced({ mode, window }: LimitResult): boolean {
  // Concurrency limits have no window: slots are freed, not refilled.
  return mode === 'enforce' && window > 0;
}

function bucketOf({ name, limit, window, remaining }: LimitResult, nowMs: number): Bucket {
  return { name, limit, windowMs: window * 1000, units: Math.min(limit, remaining), atMs: nowMs };
}

function refill(bucket: Bucket, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  bucket.units = Math.min(bucket.limit, bucket.units + (elapsedMs * bucket.limit) / bucket.windowMs);
  bucket.atMs = nowMs;
}

function waitMs({ units, limit, windowMs }: Bucket, cost: number): number {
  return ((cost - units) * windowMs) / limit;
}

function operationOf({ tenant, key, api, operation }: LimitRequest): string {
  return JSON.stringify([tenant ?? '', key ?? '', api, operation]);
}

function kindOf(request: LimitRequest): string {
  const subject = Object.entries(request.subject ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operationOf(request), subject]);
}

/** Moves an entry to the end and drops the oldest above {@link MAX_ENTRIES}. */
function setNewest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_ENTRIES) map.delete(map.keys().next().value as string);
}

/** `allow`, `deny`, or `local`: counts in this process ({@link LocalLimiter}). A function chooses per request. */
export type OnUnavailable = UnavailableChoice | ChooseWhenUnavailable;

export const UNAVAILABLE_CHOICES = ['allow', 'deny', 'local'] as const;
export type UnavailableChoice = (typeof UNAVAILABLE_CHOICES)[number];

export type ChooseWhenUnavailable = (
  request: LimitRequest,
  unavailable: Unavailable,
) => UnavailableChoice | Promise<UnavailableChoice>;

export class UnavailableMode {
  private readonly local: LocalLimiter | undefined;

  constructor(
    private readonly choice: OnUnavailable,
    private readonly events: Events,
  ) {
    this.local = choice === 'allow' || choice === 'deny' ? undefined : new LocalLimiter();
  }

  learn(request: LimitRequest, answer: LimitAnswer): void {
    this.local?.learn(request, answer);
  }

  async decide(request: LimitRequest, error: UnavailableError, verb: 'limit' | 'peek'): Promise<Decision> {
    const unavailable = error.toUnavailable();
    this.events.unavailable(unavailable);
    const choice = typeof this.choice === 'function' ? await this.choice(request, unavailable) : this.choice;
    if (choice !== 'local' || this.local === undefined) {
      return localDecision(choice !== 'deny', request, { unavailable });
    }
    const { success, ...more } = this.local.decide(request, verb === 'peek');
    return localDecision(success, request, { unavailable }, more);
  }
}

/** Applies when Tollgate rejects the call: wrong token, unknown tenant. Invalid values are denied unless it is `throw`. */
export type OnFault = FaultChoice | ChooseOnFault;

export type ChooseOnFault = (
  request: LimitRequest,
  fault: TollgateFault,
) => FaultChoice | Promise<FaultChoice>;

export const FAULT_CHOICES: readonly FaultChoice[] = ['throw', 'allow', 'deny'];

/** An invalid API key is its sender's fault and always thrown. */
export class FaultMode {
  constructor(
    private readonly choice: OnFault,
    private readonly events: Events,
  ) {}

  async decide(request: LimitRequest, fault: TollgateFault): Promise<Decision> {
    if (isCallerFault(fault)) throw fault;
    const choice = await this.choiceFor(request, fault);
    this.emit(fault, choice);
    if (choice === 'throw') throw fault;
    return localDecision(choice !== 'deny', request, { fault: fault.problem });
  }

  private choiceFor(request: LimitRequest, fault: TollgateFault): FaultChoice | Promise<FaultChoice> {
    if (isUncountable(fault)) return this.choice === 'throw' ? 'throw' : 'deny';
    return typeof this.choice === 'function' ? this.choice(request, fault) : this.choice;
  }

  /** Result of other verbs, which have nothing to allow: reports the fault unless `onFault` is `throw`. */
  amended(fault: TollgateFault): Amended {
    if (isCallerFault(fault)) throw fault;
    const choice = typeof this.choice === 'function' ? 'allow' : this.choice;
    this.emit(fault, choice);
    if (choice === 'throw') throw fault;
    return { status: 'fault', returned: 0, problem: fault.problem };
  }

  private emit(fault: TollgateFault, applied: FaultChoice): void {
    const { code, message, problem } = fault;
    this.events.emit({ kind: 'fault', code, message, problem, applied });
  }
}
