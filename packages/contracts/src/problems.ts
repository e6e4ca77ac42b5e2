import { type LimitAnswer, labeledName, type Reason } from './answers.js';

const permanent = (status: number, title: string) => ({ status, retryable: false, title });
const temporary = (status: number, title: string) => ({ status, retryable: true, title });

/** Errors of the decision API: HTTP status, whether a retry may help, public title. */
export const PROBLEMS = {
  'body-invalid': permanent(400, 'Invalid request body'),
  'body-not-utf8': permanent(400, 'The request body is not valid UTF-8'),
  'body-not-json': permanent(400, 'The request body is not valid JSON'),
  'body-duplicate-field': permanent(400, 'The request body has a duplicate field'),
  'body-too-large': permanent(413, 'The request body is too large'),
  'content-type-unsupported': permanent(415, 'Unsupported content type. Send application/json'),
  'dimension-missing': permanent(400, 'A limit requires a value that is missing in subject'),
  'dimension-invalid': permanent(400, 'A value in subject is invalid'),
  'request-id-reused': permanent(409, 'This requestId was already used for a different request'),
  'operation-unlimited': permanent(404, 'No limit covers this operation'),
  'pool-unknown': permanent(404, 'Unknown pool'),
  'token-missing': permanent(401, 'Send a service token as Authorization: Bearer'),
  'token-invalid': permanent(401, 'The service token is not valid'),
  'scope-missing': permanent(403, 'The service token lacks the scope for this call'),
  'key-missing': permanent(401, 'Send an API key as X-API-Key or Authorization: Bearer'),
  'key-invalid': permanent(401, 'The API key is not valid'),
  'key-scope-missing': permanent(403, 'The API key does not cover this operation'),
  'tenant-unknown': permanent(404, 'Unknown tenant'),
  'api-unknown': permanent(404, 'Unknown API'),
  'route-unknown': permanent(404, 'Unknown path'),
  'method-not-allowed': permanent(405, 'This path does not support the method'),
  'request-malformed': permanent(400, 'The request is not valid HTTP'),
  'headers-too-large': permanent(431, 'The request headers are too large'),
  'request-timeout': temporary(408, 'The request took too long to arrive'),
  overloaded: temporary(503, 'This node is overloaded'),
  draining: temporary(503, 'This node is shutting down'),
  'not-ready': temporary(503, 'This node has no policy yet'),
  'process-missing': temporary(503, 'A process of this node is not ready'),
  'counters-unreached': temporary(503, 'The counter Redis has not responded since this node started'),
  'quotas-unrestored': temporary(503, 'Quota usage that the counters may have lost is not known yet'),
  'tenant-unavailable': temporary(503, 'The tenant cannot be loaded right now'),
  internal: temporary(500, 'Internal error'),
};

export type ProblemCode = keyof typeof PROBLEMS;

/**
 * A value of the request itself cannot be counted. A client may have chosen it, so a caller that sees one of these codes
 * denies the request, whatever it does about other faults.
 */
export const UNCOUNTABLE_CODES: ReadonlySet<string> = new Set<ProblemCode>([
  'body-invalid',
  'body-not-utf8',
  'body-not-json',
  'body-duplicate-field',
  'body-too-large',
  'dimension-missing',
  'dimension-invalid',
  'request-id-reused',
]);

export interface FieldError {
  /** `subject.user`; empty: the body itself. */
  field: string;
  message: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  retryable: boolean;
  detail?: string;
  errors?: FieldError[];
  requestId?: string;
  /** Path of the page that explains the code, on the same API. */
  docs?: string;
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

export function problem(
  code: ProblemCode,
  more: { detail?: string; errors?: FieldError[]; requestId?: string } = {},
): Problem {
  const { status, retryable, title } = PROBLEMS[code];
  return { type: `urn:tollgate:problem:${code}`, title, status, code, retryable, ...more };
}

/** Thrown for faults, never for decisions. `message` is public; `cause` and `internal` reach logs only. */
export class TollgateError extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly internal: string | undefined;

  constructor(
    code: ProblemCode,
    options: { detail?: string; errors?: FieldError[]; internal?: string; cause?: unknown } = {},
  ) {
    super(options.detail ?? PROBLEMS[code].title, { cause: options.cause });
    this.name = 'TollgateError';
    this.code = code;
    this.errors = options.errors;
    this.internal = options.internal;
  }

  get retryable(): boolean {
    return PROBLEMS[this.code].retryable;
  }

  toProblem(requestId?: string): Problem {
    const detail = this.message === PROBLEMS[this.code].title ? undefined : this.message;
    return problem(this.code, {
      ...(detail === undefined ? {} : { detail }),
      ...(this.errors === undefined ? {} : { errors: this.errors }),
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
}

/** RFC 9457 problem details with the types of draft-ietf-httpapi-ratelimit-headers-11. */
export interface DenialProblem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Limits that denied the request, except hidden ones. */
  'violated-policies': string[];
  /** URL of the page about denied requests, if the node has a console. */
  docs?: string;
  /** URL of the explanation of this decision, valid for a week, if the node has a console. */
  explain?: string;
}

const IANA = 'https://iana.org/assignments/http-problem-types#';

const KINDS = {
  quota: { type: `${IANA}quota-exceeded`, title: 'Rate limit exceeded', status: 429 },
  capacity: { type: `${IANA}temporary-reduced-capacity`, title: 'Temporarily out of capacity', status: 503 },
  blocked: { type: 'urn:tollgate:denial:blocked', title: 'Access denied', status: 403 },
} as const;

/** Of a request with one of the {@link UNCOUNTABLE_CODES}. Names no value: the client needs no detail of the policy. */
export const UNCOUNTABLE_DENIAL: Readonly<DenialProblem> = {
  type: 'urn:tollgate:denial:uncountable',
  title: 'Access denied',
  status: 400,
  detail: 'A value of the request is invalid, so its limits cannot be checked',
  'violated-policies': [],
};

/** 429 for a limit, 503 without capacity, 403 when waiting never helps. @param over replaces the status */
export function denialProblem(answer: LimitAnswer, over: { status?: number } = {}): DenialProblem {
  const { type, title, status } = KINDS[kindOf(answer.reason)];
  const { docs, explain } = answer;
  return {
    ...{ type, title, status, ...over, detail: detailOf(answer), 'violated-policies': violatedBy(answer) },
    ...(docs === undefined ? {} : { docs }),
    ...(explain === undefined ? {} : { explain }),
  };
}

function kindOf(reason: Reason): keyof typeof KINDS {
  if (reason === 'BLOCKED') return 'blocked';
  return reason === 'POOL_EXHAUSTED' ? 'capacity' : 'quota';
}

function violatedBy({ policies }: LimitAnswer): string[] {
  return policies
    .filter(({ success, mode, inHeaders }) => !success && mode === 'enforce' && inHeaders !== false)
    .map(labeledName);
}

const LIMIT_KINDS: Partial<Record<Reason, string>> = {
  QUOTA_EXCEEDED: 'Quota',
  CONCURRENCY_EXCEEDED: 'Concurrency limit',
};

const BLOCKED_DETAIL = 'The tenant is suspended, or the API denies unregistered operations.';
const BLOCKED_BY_LIMIT = "The tenant's limits block this operation.";

function detailOf({ policy, policies, reason, retryAfter, cost, detail }: LimitAnswer): string {
  if (reason === 'BLOCKED') return detail ?? (policy === null ? BLOCKED_DETAIL : BLOCKED_BY_LIMIT);
  if (reason === 'POOL_EXHAUSTED') return 'The API is out of capacity. Retry later.';
  const isHidden = policies.some(({ name, inHeaders }) => name === policy && inHeaders === false);
  const kind = LIMIT_KINDS[reason] ?? 'Rate limit';
  // Of a limit and the amount of a label, the one that denied the request.
  const denying = policies.find(
    ({ name, success, mode }) => name === policy && !success && mode === 'enforce',
  );
  const limit = policy === null || isHidden ? kind : `${kind} "${denying ? labeledName(denying) : policy}"`;
  if (retryAfter === null) return `${limit} exceeded: a cost of ${cost} can never be allowed.`;
  return `${limit} exceeded. Retry in ${retryAfter} s.`;
}
