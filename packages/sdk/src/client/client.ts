import type { AmendAnswer, LimitAnswer } from '@tollgate/contracts/answers';
import type { Problem } from '@tollgate/contracts/problems';
import { Batcher, isBodyFault } from './batcher.js';
import {
  type Amended,
  type Decision,
  decisionOf,
  isDecidedByTollgate,
  type Limiter,
  type Reservation,
  type Undecidable,
} from './decision.js';
import {
  checkChoice,
  checkPositive,
  TollgateConfigError,
  TollgateFault,
  UnavailableError,
} from './errors.js';
import {
  Events,
  FAULT_CHOICES,
  FaultMode,
  type OnFault,
  type OnUnavailable,
  type TollgateEvent,
  UNAVAILABLE_CHOICES,
  UnavailableMode,
} from './fallback.js';
import { isProblemItem } from './http-transport.js';
import {
  type Bodies,
  callerOf,
  countable,
  type LimitRequest,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
  type SettleRequest,
  type Transport,
} from './requests.js';

const MAX_BATCH = 1000;

export interface ClientOptions {
  /** Maximum duration of a call, ms; default 250. */
  timeoutMs?: number;
  /** Decision when Tollgate is unavailable; default `allow`. `local` applies the last known limits. */
  onUnavailable?: OnUnavailable;
  /**
   * Decision when Tollgate rejects the call (wrong token, unknown tenant); default `allow`. An invalid API key is its
   * sender's fault: it is thrown, and adapters respond 401 or 403. An invalid value of the request is denied, unless
   * `onFault` throws.
   */
  onFault?: OnFault;
  /** Receives each decision that Tollgate did not make. Default: the console shows outages and the first fault of each code. */
  onEvent?: (event: TollgateEvent) => void;
  /** Calls in flight before requests are batched; default 4. */
  maxCalls?: number;
}

/** SDK over any transport. */
export class Client implements Limiter {
  private readonly events: Events;
  private readonly timeoutMs: number;
  private readonly batcher: Batcher;
  private readonly unavailable: UnavailableMode;
  private readonly faults: FaultMode;

  constructor(
    private readonly transport: Transport,
    { timeoutMs = 250, onUnavailable = 'allow', onFault = 'allow', onEvent, maxCalls = 4 }: ClientOptions,
  ) {
    const owner = new.target.name;
    checkPositive(owner, 'timeoutMs', timeoutMs);
    checkPositive(owner, 'maxCalls', maxCalls);
    checkChoice(owner, 'onUnavailable', onUnavailable, UNAVAILABLE_CHOICES);
    checkChoice(owner, 'onFault', onFault, FAULT_CHOICES);
    this.events = new Events(onEvent);
    const { events } = this;
    this.timeoutMs = timeoutMs;
    this.batcher = new Batcher(transport, timeoutMs, maxCalls);
    this.unavailable = new UnavailableMode(onUnavailable, events);
    this.faults = new FaultMode(onFault, events);
  }

  /**
   * Checks at start-up that Tollgate answers, that the token is valid and, for a `request`, that its tenant, API and
   * operation exist and a limit covers them. Charges nothing; `onUnavailable` and `onFault` do not apply.
   * @param timeoutMs default 5,000
   * @throws TollgateConfigError that names the option to correct
   */
  async verify(request?: LimitRequest, { timeoutMs = 5000 }: { timeoutMs?: number } = {}): Promise<void> {
    try {
      await this.transport.verify?.(timeoutMs);
      if (request === undefined) return;
      const { reason } = await this.transport.call('peek', countable(request), timeoutMs);
      if (reason !== 'NO_LIMIT') return;
      const { api, operation } = request;
      throw new TollgateConfigError(
        'operation',
        `No limit covers operation "${operation}" of API "${api}" for this tenant. Correct the name, or add a limit for it.`,
      );
    } catch (error) {
      const isAboutSubject = error instanceof TollgateFault && error.code === 'dimension-missing';
      if (isAboutSubject && request?.subject === undefined) return; // each request provides its own subject
      throw toConfigError(error, request);
    }
  }

  async limit(request: LimitRequest): Promise<Decision> {
    return this.decided(request, (countableRequest) => this.batcher.limit(countableRequest));
  }

  async limitMany(requests: readonly LimitRequest[]): Promise<(Decision | Undecidable)[]> {
    const decisions: (Decision | Undecidable)[] = [];
    for (let from = 0; from < requests.length; from += MAX_BATCH) {
      decisions.push(...(await this.batch(requests.slice(from, from + MAX_BATCH))));
    }
    return decisions;
  }

  async peek(request: LimitRequest): Promise<Decision> {
    return this.decided(
      request,
      (countableRequest) => this.transport.call('peek', countableRequest, this.timeoutMs),
      'peek',
    );
  }

  refund(request: RefundRequest): Promise<Amended> {
    return this.amend('refund', request);
  }

  release(request: ReceiptRequest): Promise<Amended> {
    return this.amend('release', request);
  }

  report(request: ReportRequest): Promise<Amended> {
    return this.amend('report', request);
  }

  reset(request: ResetRequest): Promise<Amended> {
    return this.amend('reset', request);
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    let expiresAt: number | null = null;
    const decision = await this.decided(request, async (countableRequest) => {
      const answer = await this.transport.call('reserve', countableRequest, this.timeoutMs);
      const { expiresAt: expiry, ...rest } = answer;
      expiresAt = expiry;
      return rest;
    });
    if (!decision.success) return decision;
    const receipt = { ...callerOf(request), requestId: decision.requestId };
    const isReserved = isDecidedByTollgate(decision);
    const onReserved = <V extends 'settle' | 'release' | 'renew'>(
      verb: V,
      body: Bodies[V],
    ): Promise<Amended> => (isReserved ? this.amend(verb, body) : Promise.resolve(NOTHING_DONE));
    return {
      ...decision,
      expiresAt,
      settle: (cost, { overrun } = {}) => {
        const body = { ...receipt, cost, ...(overrun === undefined ? {} : { overrun }) };
        return onReserved('settle', body as SettleRequest);
      },
      release: () => onReserved('release', receipt),
      renew: () => onReserved('renew', receipt),
    };
  }

  private async decided<R extends LimitRequest>(
    request: R,
    call: (request: R) => Promise<LimitAnswer>,
    verb: 'limit' | 'peek' = 'limit',
  ): Promise<Decision> {
    const countableRequest = countable(request);
    try {
      const answer = await call(countableRequest);
      return this.decisionFrom(countableRequest, answer);
    } catch (error) {
      return this.undecided(countableRequest, error, verb);
    }
  }

  private decisionFrom(request: LimitRequest, answer: LimitAnswer): Decision {
    this.events.answered();
    this.unavailable.learn(request, answer);
    if (answer.reason === 'NO_LIMIT') this.events.noLimit(request.api, request.operation);
    return decisionOf(answer);
  }

  private async undecided(
    request: LimitRequest,
    error: unknown,
    verb: 'limit' | 'peek' = 'limit',
  ): Promise<Decision> {
    if (error instanceof TollgateFault) {
      this.events.answered();
      return this.faults.decide(request, error);
    }
    if (error instanceof UnavailableError) return this.unavailable.decide(request, error, verb);
    throw error;
  }

  private async batch(given: readonly LimitRequest[]): Promise<(Decision | Undecidable)[]> {
    if (given.length === 0) return [];
    const requests = given.map(countable);
    let answers: (LimitAnswer | Problem)[];
    try {
      ({ answers } = await this.transport.call('limit/batch', { requests }, this.timeoutMs));
    } catch (error) {
      // One invalid request fails the whole batch: decide each on its own.
      if (isBodyFault(error) && requests.length > 1)
        return (await Promise.all(requests.map((request) => this.batch([request])))).flat();
      return Promise.all(requests.map((request) => this.undecided(request, error)));
    }
    return Promise.all(
      requests.map((request, i) => this.itemOf(request, answers[i] as LimitAnswer | Problem)),
    );
  }

  /** An invalid item never fails the others: it becomes undecidable. */
  private async itemOf(
    request: LimitRequest,
    item: LimitAnswer | Problem | undefined,
  ): Promise<Decision | Undecidable> {
    if (item === undefined) return this.undecided(request, new UnavailableError('unreadable', 'no answer'));
    if (!isProblemItem(item)) return this.decisionFrom(request, item);
    if (item.retryable) return this.undecided(request, new UnavailableError('server', item.title));
    try {
      return await this.faults.decide(request, new TollgateFault(item));
    } catch (error) {
      if (error instanceof TollgateFault) return { success: null, problem: item };
      throw error;
    }
  }

  private async amend<V extends 'refund' | 'report' | 'settle' | 'release' | 'renew' | 'reset'>(
    verb: V,
    body: Bodies[V],
  ): Promise<Amended> {
    try {
      const answer: AmendAnswer = await this.transport.call(verb, countable(body), this.timeoutMs);
      return { status: answer.status, returned: answer.returned };
    } catch (error) {
      if (error instanceof TollgateFault) return this.faults.amended(error);
      if (error instanceof UnavailableError) return NOTHING_DONE;
      throw error;
    }
  }
}

const NOTHING_DONE: Amended = { status: 'unavailable', returned: 0 };

const ADVICE: Partial<Record<Problem['code'], readonly [option: string, advice: string]>> = {
  'token-missing': ['token', 'Pass a service token.'],
  'token-invalid': ['token', 'It is wrong, revoked or expired: create a new one in the console.'],
  'scope-missing': ['token', 'Create a service token with the scope decide.'],
  'api-unknown': ['api', 'Correct the key, or create the API.'],
  'tenant-unknown': ['tenant', 'Correct the name, or create the tenant.'],
  'key-invalid': ['key', 'The API key is wrong, revoked or expired.'],
  'key-scope-missing': ['key', 'The API key does not cover this API or operation.'],
  'operation-unlimited': ['operation', 'Correct the name, or add a limit for it.'],
  'route-unknown': ['url', 'Pass the address of the decision API, without a path of its routes.'],
};

function toConfigError(error: unknown, request: LimitRequest | undefined): unknown {
  if (error instanceof UnavailableError) {
    const message = `Tollgate did not answer: ${error.message}. Check "url" (usually TOLLGATE_URL) and that the decision API runs.`;
    return new TollgateConfigError('url', message, { cause: error });
  }
  if (!(error instanceof TollgateFault)) return error;
  const [option, advice] = ADVICE[error.code] ?? ['request', 'Correct the request.'];
  const named = option === 'tenant' && request?.tenant !== undefined ? ` "${request.tenant}"` : '';
  return new TollgateConfigError(option, `Option "${option}"${named}: ${error.message}. ${advice}`, {
    cause: error,
  });
}
