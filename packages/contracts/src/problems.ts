import { type LimitAnswer, type Reason } from './answers.js';

/** Errors of the decision API: HTTP status, whether a retry may help, public title. */
export const PROBLEMS = {
  'body-invalid': { status: 400, retryable: false, title: 'Invalid request body' },
  'body-not-utf8': { status: 400, retryable: false, title: 'The request body is not valid UTF-8' },
  'body-not-json': { status: 400, retryable: false, title: 'The request body is not valid JSON' },
  'body-duplicate-field': { status: 400, retryable: false, title: 'The request body has a duplicate field' },
  'body-too-large': { status: 413, retryable: false, title: 'The request body is too large' },
  'content-type-unsupported': {
    status: 415,
    retryable: false,
    title: 'Unsupported content type. Send application/json',
  },
  'dimension-missing': {
    status: 400,
    retryable: false,
    title: 'A limit requires a value that is missing in subject',
  },
  'dimension-invalid': { status: 400, retryable: false, title: 'A value in subject is invalid' },
  'request-id-reused': {
    status: 409,
    retryable: false,
    title: 'This requestId was already used for a different request',
  },
  'operation-unlimited': { status: 404, retryable: false, title: 'No limit covers this operation' },
  'pool-unknown': { status: 404, retryable: false, title: 'Unknown pool' },
  'token-missing': { status: 401, retryable: false, title: 'Send a service token as Authorization: Bearer' },
  'token-invalid': { status: 401, retryable: false, title: 'The service token is not valid' },
  'scope-missing': {
    status: 403,
    retryable: false,
    title: 'The service token lacks the scope for this call',
  },
  'key-missing': {
    status: 401,
    retryable: false,
    title: 'Send an API key as X-API-Key or Authorization: Bearer',
  },
  'key-invalid': { status: 401, retryable: false, title: 'The API key is not valid' },
  'key-scope-missing': {
    status: 403,
    retryable: false,
    title: 'The API key does not cover this operation',
  },
  'tenant-unknown': { status: 404, retryable: false, title: 'Unknown tenant' },
  'api-unknown': { status: 404, retryable: false, title: 'Unknown API' },
  'route-unknown': { status: 404, retryable: false, title: 'Unknown path' },
  'method-not-allowed': { status: 405, retryable: false, title: 'This path does not support the method' },
  'request-malformed': { status: 400, retryable: false, title: 'The request is not valid HTTP' },
  'headers-too-large': { status: 431, retryable: false, title: 'The request headers are too large' },
  'request-timeout': { status: 408, retryable: true, title: 'The request took too long to arrive' },
  overloaded: {
    status: 503,
    retryable: true,
    title: 'This node is overloaded',
  },
  draining: { status: 503, retryable: true, title: 'This node is shutting down' },
  'not-ready': { status: 503, retryable: true, title: 'This node has no policy yet' },
  'counters-unreached': {
    status: 503,
    retryable: true,
    title: 'The counter Redis has not responded since this node started',
  },
  'tenant-unavailable': {
    status: 503,
    retryable: true,
    title: 'The tenant cannot be loaded right now',
  },
  internal: { status: 500, retryable: true, title: 'Internal error' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

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
}

const IANA = 'https://iana.org/assignments/http-problem-types#';

const KINDS = {
  quota: { type: `${IANA}quota-exceeded`, title: 'Rate limit exceeded', status: 429 },
  capacity: { type: `${IANA}temporary-reduced-capacity`, title: 'Temporarily out of capacity', status: 503 },
  blocked: { type: 'urn:tollgate:denial:blocked', title: 'Access denied', status: 403 },
} as const;

/** 429 for a limit, 503 without capacity, 403 when waiting never helps. @param over replaces the status */
export function denialProblem(answer: LimitAnswer, over: { status?: number } = {}): DenialProblem {
  const { type, title, status } = KINDS[kindOf(answer.reason)];
  return { type, title, status, ...over, detail: detailOf(answer), 'violated-policies': violatedBy(answer) };
}

function kindOf(reason: Reason): keyof typeof KINDS {
  if (reason === 'BLOCKED') return 'blocked';
  return reason === 'POOL_EXHAUSTED' ? 'capacity' : 'quota';
}

function violatedBy({ policies }: LimitAnswer): string[] {
  return policies
    .filter(({ success, mode, inHeaders }) => !success && mode === 'enforce' && inHeaders !== false)
    .map(({ name }) => name);
}

const LIMIT_KINDS: Partial<Record<Reason, string>> = {
  QUOTA_EXCEEDED: 'Quota',
  CONCURRENCY_EXCEEDED: 'Concurrency limit',
};

function detailOf({ policy, policies, reason, retryAfter, cost }: LimitAnswer): string {
  if (reason === 'BLOCKED') return 'The tenant is suspended, or the API denies unregistered operations.';
  if (reason === 'POOL_EXHAUSTED') return 'The API is out of capacity. Retry later.';
  const isHidden = policies.some(({ name, inHeaders }) => name === policy && inHeaders === false);
  const kind = LIMIT_KINDS[reason] ?? 'Rate limit';
  const limit = policy === null || isHidden ? kind : `${kind} "${policy}"`;
  if (retryAfter === null) return `${limit} exceeded: a cost of ${cost} can never be allowed.`;
  return `${limit} exceeded. Retry in ${retryAfter} s.`;
}
