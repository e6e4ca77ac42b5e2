import { type LimitAnswer, type Reason } from './answers.js';

/** Every error that a door of ours may answer: code, status, whether trying again may help, public text. */
export const PROBLEMS = {
  'body-invalid': { status: 400, retryable: false, title: 'The request body is not valid' },
  'body-not-utf8': { status: 400, retryable: false, title: 'The request body is not valid UTF-8' },
  'body-not-json': { status: 400, retryable: false, title: 'The request body is not valid JSON' },
  'body-duplicate-field': { status: 400, retryable: false, title: 'The request body has a field twice' },
  'body-too-large': { status: 413, retryable: false, title: 'The request body is too large' },
  'content-type-unsupported': { status: 415, retryable: false, title: 'Send the body as application/json' },
  'dimension-missing': {
    status: 400,
    retryable: false,
    title: 'A limit requires a value that subject does not have',
  },
  'dimension-invalid': { status: 400, retryable: false, title: 'A value in subject cannot be read' },
  'request-id-reused': {
    status: 409,
    retryable: false,
    title: 'This requestId was used for a request of other limits',
  },
  'operation-unlimited': { status: 404, retryable: false, title: 'No limit covers this operation' },
  'pool-unknown': { status: 404, retryable: false, title: 'The API has no such pool' },
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
    title: 'The API key may not be used for this call',
  },
  'tenant-unknown': { status: 404, retryable: false, title: 'There is no such tenant' },
  'api-unknown': { status: 404, retryable: false, title: 'There is no such API' },
  'route-unknown': { status: 404, retryable: false, title: 'There is nothing at this path' },
  'method-not-allowed': { status: 405, retryable: false, title: 'This path does not take that method' },
  'request-malformed': { status: 400, retryable: false, title: 'The request is not valid HTTP' },
  'headers-too-large': { status: 431, retryable: false, title: 'The request headers are too large' },
  'request-timeout': { status: 408, retryable: true, title: 'The request took too long to arrive' },
  overloaded: {
    status: 503,
    retryable: true,
    title: 'This node has more requests than it can answer in time',
  },
  draining: { status: 503, retryable: true, title: 'This node is about to stop' },
  'not-ready': { status: 503, retryable: true, title: 'This node holds no policy yet' },
  'counters-unreached': {
    status: 503,
    retryable: true,
    title: 'The counters have not answered since this node started',
  },
  'tenant-unavailable': {
    status: 503,
    retryable: true,
    title: 'The tenant is not known to this node and cannot be looked up now',
  },
  internal: { status: 500, retryable: true, title: 'Something went wrong on our side' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** What is wrong with one field. */
export interface FieldError {
  /** Dotted path into the body, `subject.user`; empty: the body itself. */
  field: string;
  message: string;
}

/** RFC 9457 problem details. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  retryable: boolean;
  detail?: string;
  errors?: FieldError[];
  requestId?: string;
  /** Where the door that answered explains the code: a path at its own address. */
  docs?: string;
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

/** Builds the problem of `code`; `more` adds what this occurrence has to say. */
export function problem(
  code: ProblemCode,
  more: { detail?: string; errors?: FieldError[]; requestId?: string } = {},
): Problem {
  const { status, retryable, title } = PROBLEMS[code];
  return { type: `urn:tollgate:problem:${code}`, title, status, code, retryable, ...more };
}

/**
 * A fault: thrown, never a decision. `message` is public; `cause` and `internal` reach logs only.
 */
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

  /** The public face of this fault. */
  toProblem(requestId?: string): Problem {
    const detail = this.message === PROBLEMS[this.code].title ? undefined : this.message;
    return problem(this.code, {
      ...(detail === undefined ? {} : { detail }),
      ...(this.errors === undefined ? {} : { errors: this.errors }),
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
}

/** A refused request as RFC 9457 problem details, by the types of draft-ietf-httpapi-ratelimit-headers-11. */
export interface DenialProblem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Names of the limits that refused, but for those that are kept out of headers. */
  'violated-policies': string[];
}

const IANA = 'https://iana.org/assignments/http-problem-types#';

const KINDS = {
  quota: { type: `${IANA}quota-exceeded`, title: 'A limit was reached', status: 429 },
  capacity: { type: `${IANA}temporary-reduced-capacity`, title: 'Capacity is short for now', status: 503 },
  blocked: { type: 'urn:tollgate:denial:blocked', title: 'This call is not allowed', status: 403 },
} as const;

/**
 * What a refusal is in HTTP: 429 for a limit, 503 where the API is short of capacity, 403 where waiting never helps.
 * @param over answered where these would not do
 */
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

function detailOf({ policy, policies, reason, retryAfter, cost }: LimitAnswer): string {
  if (reason === 'BLOCKED')
    return 'The tenant is suspended, or its API refuses operations that are not configured';
  if (reason === 'POOL_EXHAUSTED') return 'The API is short of capacity; try again soon';
  const isHidden = policies.some(({ name, inHeaders }) => name === policy && inHeaders === false);
  const limit = policy === null || isHidden ? 'A limit' : `The limit ${policy}`;
  if (retryAfter === null) return `${limit} never lets a cost of ${cost} through; waiting does not help`;
  return `${limit} lets this through again in ${retryAfter} s`;
}
