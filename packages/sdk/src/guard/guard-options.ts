import type { HeaderStyle } from '@tollgate/contracts/headers';
import type { Problem } from '@tollgate/contracts/problems';
import type { Decision, Refused } from '../client/decision.js';
import type { Limiter } from '../client/limiter.js';
import type { RefusalBody } from './refusal-body.js';

type Maybe<T> = T | Promise<T>;

/** How an adapter asks for the requests of a framework; `R` is that framework's request. */
export interface GuardOptions<R> {
  /** A `Tollgate`, or an `EmbeddedTollgate`. One for all adapters of a process. */
  client: Limiter;
  /** Whose limits apply: your customer, or one name for the whole service. Left out: `key` says. */
  tenant?: string | ((request: R) => Maybe<string>);
  /** The customer's API key in the request, in the place of `tenant`. None: `tenant`, else 401. */
  key?: (request: R) => Maybe<string | undefined>;
  /** The protected service, as it is called in Tollgate. */
  api: string;
  /** The operation, as it is called in Tollgate. */
  operation: string | ((request: R) => string);
  /** What is known of the sender, by dimension. Left out: `ip`, the address that the framework says, IPv6 by /64. */
  subject?: (request: R) => Maybe<Record<string, string>>;
  /** Whole units; left out: what the operation costs. */
  cost?: number | ((request: R) => Maybe<number>);
  /** Requests that are not asked about. */
  skip?: (request: R) => Maybe<boolean>;
  /** In which styles limits are told on every answer; `['draft-11']` unless given, `[]` for none. `Retry-After` is always sent. */
  headers?: readonly HeaderStyle[];
  /** Whether a request that a queue paces is held back for its delay; true unless given. Else see `decision.delayMs`. */
  delay?: boolean;
  /** Which responses give back what was charged, by their status. */
  refundOn?: (status: number) => boolean;
  /** Told of each refusal. */
  onRefused?: (request: R, decision: Refused) => void;
}

/** What becomes of a request. */
export type Verdict =
  | {
      pass: true;
      headers: Record<string, string>;
      decision: Decision | null;
      after: (status: number) => void;
    }
  | Refusal;

export interface Refusal {
  pass: false;
  status: number;
  headers: Record<string, string>;
  body: Problem | RefusalBody;
  /** Null: nobody was asked, because the caller's key is missing or wrong. */
  decision: Refused | null;
}
