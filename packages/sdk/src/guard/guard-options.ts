import type { HeaderStyle } from '@tollgate/contracts/headers';
import type { Problem } from '@tollgate/contracts/problems';
import { requireText, TollgateConfigError } from '../client/config-error.js';
import type { Decision, Refused } from '../client/decision.js';
import type { Limiter } from '../client/limiter.js';
import type { RefusalBody } from './refusal-body.js';

type Maybe<T> = T | Promise<T>;

type TenantOf<R> = string | ((request: R) => Maybe<string>);
type KeyOf<R> = (request: R) => Maybe<string | undefined>;

/** Whose limits apply: `tenant`, `key` or both; with neither, no request could be decided. */
export type CallerOptions<R> =
  | {
      /** Your customer, or one name for the whole service. */
      tenant: TenantOf<R>;
      /** The customer's API key in the request; requests without one count for `tenant`. */
      key?: KeyOf<R>;
    }
  | {
      tenant?: TenantOf<R>;
      /** The customer's API key in the request; requests without one are answered 401 unless `tenant` is given. */
      key: KeyOf<R>;
    };

/** How an adapter asks for the requests of a framework; `R` is that framework's request. */
export type GuardOptions<R> = LimitOptions<R> & CallerOptions<R>;

/** `GuardOptions` but for the caller. */
export interface LimitOptions<R> {
  /** A `Tollgate`, or an `EmbeddedTollgate`. One for all adapters of a process. */
  client: Limiter;
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

/** Options as JavaScript may pass them: nothing is certain. */
type Unchecked = Partial<Record<'client' | 'tenant' | 'key' | 'api' | 'operation', unknown>>;

/**
 * Checks options that come from JavaScript or the environment, past the compiler.
 * @param owner the function that takes them, for the message
 * @throws TollgateConfigError that names the option
 */
export function checkGuardOptions(owner: string, { client, tenant, key, api, operation }: Unchecked): void {
  if (typeof (client as Partial<Limiter> | undefined)?.limit !== 'function') {
    throw new TollgateConfigError(
      'client',
      `${owner}: option "client" must be a Tollgate or an EmbeddedTollgate.`,
    );
  }
  if (tenant === undefined && key === undefined) {
    const advice =
      'pass "tenant" (a name, or a function of the request) or "key" (a function that returns its API key)';
    throw new TollgateConfigError(
      'tenant',
      `${owner}: options "tenant" and "key" are both missing: ${advice}.`,
    );
  }
  if (tenant !== undefined && typeof tenant !== 'function') requireText(owner, 'tenant', tenant);
  if (key !== undefined && typeof key !== 'function') {
    throw new TollgateConfigError('key', `${owner}: option "key" must be a function of the request.`);
  }
  requireText(owner, 'api', api);
  if (typeof operation !== 'function') requireText(owner, 'operation', operation);
}
