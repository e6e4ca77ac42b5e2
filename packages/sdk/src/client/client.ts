import type { AmendAnswer, LimitAnswer } from '@tollgate/contracts/answers';
import type { Problem } from '@tollgate/contracts/problems';
import { type Amended, type Decision, decisionOf, type Undecidable } from './decision.js';
import { Flights } from './flights.js';
import { isProblemItem } from './http-transport.js';
import type { Limiter, Reservation } from './limiter.js';
import { type OnUnavailable, UnavailableMode } from './on-unavailable.js';
import type {
  Caller,
  LimitRequest,
  RefundRequest,
  ReportRequest,
  ReserveRequest,
  ResetRequest,
  SettleRequest,
} from './request.js';
import type { Bodies, Transport } from './transport.js';
import { UnavailableError } from './unavailable.js';

/** The most requests of one batch. */
const MAX_BATCH = 1000;

export interface ClientOptions {
  /** The longest that any answer takes, ms; 250 unless given. */
  timeoutMs?: number;
  /**
   * What applies when Tollgate cannot be asked; `allow` unless given. `local`: a limiter of this process goes on with the
   * limits that are known last. A function decides by itself.
   */
  onUnavailable?: OnUnavailable;
  /** Told of each decision that had to be made here. */
  onEvent?: (event: { kind: 'unavailable'; cause: string; message: string }) => void;
  /** Calls on their way before requests begin to travel together; 4 unless given. */
  maxCalls?: number;
}

/** The surface of the SDK over any way to a decision plane. */
export class Client implements Limiter {
  private readonly timeoutMs: number;
  private readonly flights: Flights;
  private readonly unavailable: UnavailableMode;

  constructor(
    private readonly transport: Transport,
    { timeoutMs = 250, onUnavailable = 'allow', onEvent, maxCalls = 4 }: ClientOptions,
  ) {
    this.timeoutMs = timeoutMs;
    this.flights = new Flights(transport, timeoutMs, maxCalls);
    this.unavailable = new UnavailableMode(onUnavailable, onEvent);
  }

  async limit(request: LimitRequest): Promise<Decision> {
    return this.decided(request, () => this.flights.limit(request));
  }

  async limitMany(requests: readonly LimitRequest[]): Promise<(Decision | Undecidable)[]> {
    const decisions: (Decision | Undecidable)[] = [];
    for (let from = 0; from < requests.length; from += MAX_BATCH) {
      decisions.push(...(await this.batch(requests.slice(from, from + MAX_BATCH))));
    }
    return decisions;
  }

  async peek(request: LimitRequest): Promise<Decision> {
    return this.decided(request, () => this.transport.call('peek', request, this.timeoutMs), 'peek');
  }

  refund(request: RefundRequest): Promise<Amended> {
    return this.amend('refund', request);
  }

  report(request: ReportRequest): Promise<Amended> {
    return this.amend('report', request);
  }

  reset(request: ResetRequest): Promise<Amended> {
    return this.amend('reset', request);
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    let expiresAt: number | null = null;
    const decision = await this.decided(request, async () => {
      const answer = await this.transport.call('reserve', request, this.timeoutMs);
      const { expiresAt: heldUntil, ...rest } = answer;
      expiresAt = heldUntil;
      return rest;
    });
    if (!decision.success) return decision;
    const receipt = { ...callerOf(request), requestId: decision.requestId };
    const isHeld = decision.unavailable === null;
    const onHeld = <V extends 'settle' | 'release' | 'renew'>(verb: V, body: Bodies[V]): Promise<Amended> =>
      isHeld ? this.amend(verb, body) : Promise.resolve(NOTHING_DONE);
    return {
      ...decision,
      expiresAt,
      settle: (cost, { overrun } = {}) => {
        const body = { ...receipt, cost, ...(overrun === undefined ? {} : { overrun }) };
        return onHeld('settle', body as SettleRequest);
      },
      release: () => onHeld('release', receipt),
      renew: () => onHeld('renew', receipt),
    };
  }

  private async decided(
    request: LimitRequest,
    ask: () => Promise<LimitAnswer>,
    verb: 'limit' | 'peek' = 'limit',
  ): Promise<Decision> {
    try {
      const answer = await ask();
      this.unavailable.learn(request, answer);
      return decisionOf(answer);
    } catch (error) {
      return this.unavailable.decide(request, unavailableFrom(error), verb);
    }
  }

  private async batch(requests: readonly LimitRequest[]): Promise<(Decision | Undecidable)[]> {
    if (requests.length === 0) return [];
    let answers: (LimitAnswer | Problem)[];
    try {
      ({ answers } = await this.transport.call('limit/batch', { requests }, this.timeoutMs));
    } catch (error) {
      const cause = unavailableFrom(error);
      return Promise.all(requests.map((request) => this.unavailable.decide(request, cause, 'limit')));
    }
    return Promise.all(
      requests.map((request, i) => this.itemOf(request, answers[i] as LimitAnswer | Problem)),
    );
  }

  private async itemOf(
    request: LimitRequest,
    item: LimitAnswer | Problem | undefined,
  ): Promise<Decision | Undecidable> {
    if (item === undefined) {
      return this.unavailable.decide(request, new UnavailableError('unreadable', 'no answer'), 'limit');
    }
    if (!isProblemItem(item)) {
      this.unavailable.learn(request, item);
      return decisionOf(item);
    }
    if (!item.retryable) return { success: null, problem: item };
    return this.unavailable.decide(request, new UnavailableError('server', item.title), 'limit');
  }

  private async amend<V extends 'refund' | 'report' | 'settle' | 'release' | 'renew' | 'reset'>(
    verb: V,
    body: Bodies[V],
  ): Promise<Amended> {
    try {
      const answer: AmendAnswer = await this.transport.call(verb, body, this.timeoutMs);
      return { status: answer.status, returned: answer.returned };
    } catch (error) {
      unavailableFrom(error);
      return NOTHING_DONE;
    }
  }
}

const NOTHING_DONE: Amended = { status: 'unavailable', returned: 0 };

/** @throws whatever else went wrong */
function unavailableFrom(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  throw error;
}

function callerOf(request: Caller): Caller {
  return request.tenant === undefined ? { key: request.key } : { tenant: request.tenant };
}
