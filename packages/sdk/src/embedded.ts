import { type AmendAnswer, type LimitAnswer } from '@tollgate/contracts/answers';
import { type Problem } from '@tollgate/contracts/problems';
import { Client, type ClientOptions } from './client/client.js';
import { TollgateConfigError, TollgateFault, UnavailableError } from './client/errors.js';
import {
  type Answers,
  type Bodies,
  type LimitRequest,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
  type SettleRequest,
  type Transport,
  type Verb,
} from './client/requests.js';

type Named<T> = Extract<T, { tenant: string }>;

/** Implemented by `DecisionPlane` and `TestPlane` of `@tollgate/decision-plane`. */
export interface EmbeddedPlane {
  limit(request: Named<LimitRequest>): Promise<LimitAnswer>;
  limitMany(requests: readonly Named<LimitRequest>[]): Promise<(LimitAnswer | Problem)[]>;
  peek(request: Named<LimitRequest>): Promise<LimitAnswer>;
  reserve(request: Named<ReserveRequest>): Promise<LimitAnswer & { expiresAt: number | null }>;
  settle(request: Named<SettleRequest>): Promise<AmendAnswer>;
  release(request: Named<ReceiptRequest>): Promise<AmendAnswer>;
  renew(request: Named<ReceiptRequest>): Promise<AmendAnswer>;
  refund(request: Named<RefundRequest>): Promise<AmendAnswer>;
  reportOutcome(request: Named<ReportRequest>): Promise<AmendAnswer>;
  reset(request: ResetRequest): Promise<AmendAnswer>;
}

/** `DecisionPlane` also accepts API keys. */
function named<T>(body: T): Named<T> {
  return body as Named<T>;
}

export class PlaneTransport implements Transport {
  private readonly verbs: { [V in Verb]: (body: Bodies[V]) => Promise<Answers[V]> };

  constructor(plane: EmbeddedPlane) {
    this.verbs = {
      limit: (body) => plane.limit(named(body)),
      'limit/batch': async ({ requests }) => ({ answers: await plane.limitMany(requests.map(named)) }),
      peek: (body) => plane.peek(named(body)),
      // Default of the HTTP API.
      reserve: (body) => plane.reserve(named({ expiresInMs: 60_000, ...body })),
      settle: (body) => plane.settle(named({ overrun: 'cap', ...body })),
      release: (body) => plane.release(named(body)),
      renew: (body) => plane.renew(named(body)),
      refund: (body) => plane.refund(named(body)),
      reset: (body) => plane.reset(body),
      report: (body) => plane.reportOutcome(named(body)),
    };
  }

  async call<V extends Verb>(verb: V, body: Bodies[V]): Promise<Answers[V]> {
    try {
      return await this.verbs[verb](body);
    } catch (error) {
      if (!isPlaneError(error)) throw error;
      const problem = error.toProblem();
      if (!problem.retryable) throw new TollgateFault(problem, { cause: error });
      throw new UnavailableError('server', `${problem.code}: ${problem.title}`, { cause: error });
    }
  }
}

/** Checked by shape, because the plane's package bundles its own class. */
function isPlaneError(error: unknown): error is Error & { toProblem(): Problem } {
  return error instanceof Error && 'toProblem' in error && typeof error.toProblem === 'function';
}

export interface EmbeddedOptions extends Omit<ClientOptions, 'timeoutMs' | 'maxCalls'> {
  /** A started `DecisionPlane`; in tests, a `TestPlane`. The caller closes it. */
  plane: EmbeddedPlane;
}

/**
 * `Tollgate` over a decision plane in this process: the only network calls are to Redis. During a Redis outage each
 * limit's own `onUnavailable` applies; the option of this name only before the plane has a policy.
 */
export class EmbeddedTollgate extends Client {
  constructor({ plane, ...options }: EmbeddedOptions) {
    if (typeof plane?.limit !== 'function') {
      const message = 'EmbeddedTollgate: option "plane" must be a started DecisionPlane (or a TestPlane).';
      throw new TollgateConfigError('plane', message);
    }
    super(new PlaneTransport(plane), { ...options, maxCalls: Number.POSITIVE_INFINITY });
  }
}
