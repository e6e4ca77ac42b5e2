import { type Problem, UNCOUNTABLE_CODES } from '@tollgate/contracts/problems';

/** Thrown by constructors and `verify`; `option` names the wrong or missing option. */
export class TollgateConfigError extends Error {
  override readonly name = 'TollgateConfigError';

  constructor(
    readonly option: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Environment variables that usually supply an option. */
const VARIABLES: Record<string, string> = { url: 'TOLLGATE_URL', token: 'TOLLGATE_TOKEN' };

/** @throws TollgateConfigError when the option is missing, empty or not a string */
export function requireText(owner: string, option: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  const found = value === '' || typeof value === 'string' ? 'is empty' : `is ${describe(value)}`;
  const variable = VARIABLES[option];
  const hint =
    variable === undefined ? '' : ` It usually comes from process.env.${variable}; check that it is set.`;
  throw new TollgateConfigError(option, `${owner}: option "${option}" ${found}.${hint}`);
}

export function requireClient(owner: string, client: unknown): void {
  if (typeof (client as { limit?: unknown } | undefined)?.limit === 'function') return;
  throw new TollgateConfigError(
    'client',
    `${owner}: option "client" must be a Tollgate or an EmbeddedTollgate.`,
  );
}

/** @throws TollgateConfigError when `value` is given and is neither a function nor one of `choices` */
export function checkChoice(owner: string, option: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || typeof value === 'function' || choices.includes(value as string)) return;
  const listed = choices.map((choice) => `'${choice}'`).join(', ');
  throw new TollgateConfigError(option, `${owner}: option "${option}" must be ${listed} or a function.`);
}

/** @throws TollgateConfigError when `value` is given and is not a number above 0 */
export function checkPositive(owner: string, option: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new TollgateConfigError(option, `${owner}: option "${option}" must be a number above 0.`);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return `of type ${typeof value}, not a string`;
}

/**
 * Tollgate rejected the call (unknown tenant, invalid token); a retry fails the same way. Thrown with `onFault:
 * 'throw'`. Has no `status` field, because frameworks would send it to callers.
 */
export class TollgateFault extends Error {
  override readonly name = 'TollgateFault';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    const fields = (problem.errors ?? []).map(({ field, message }) => `${field}: ${message}`);
    super([problem.detail ?? problem.title, ...fields].join(' · '), options);
    this.problem = problem;
  }

  /** Stable, `tenant-unknown`. */
  get code(): Problem['code'] {
    return this.problem.code;
  }
}

export type FaultChoice = 'throw' | 'allow' | 'deny';

/** Caused by the sender's API key: the sender gets them unchanged. */
const CALLER_FAULTS: ReadonlySet<string> = new Set(['key-invalid', 'key-scope-missing']);

export function isCallerFault(fault: TollgateFault): boolean {
  return CALLER_FAULTS.has(fault.code);
}

/** Caused by a value of the request, which a client may have chosen: never allowed. */
export function isUncountable({ code }: Pick<Problem, 'code'>): boolean {
  return UNCOUNTABLE_CODES.has(code);
}

export interface Unavailable {
  /** `server`: temporarily unable to decide (5xx, 429). `unreadable`: not an answer of Tollgate. */
  cause: 'timeout' | 'network' | 'server' | 'unreadable';
  message: string;
}

/** Internal: callers see an {@link Unavailable}. */
export class UnavailableError extends Error {
  constructor(
    readonly why: Unavailable['cause'],
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  toUnavailable(): Unavailable {
    return { cause: this.why, message: this.message };
  }
}
