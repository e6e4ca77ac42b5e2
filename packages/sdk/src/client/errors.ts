import { type Problem } from '@tollgate/contracts/problems';

/** Thrown by constructors and `verify` for a wrong or missing option; `option` names it. */
export class TollgateConfigError extends Error {
  override readonly name = 'TollgateConfigError';

  constructor(
    /** The option to correct, `url`. */
    readonly option: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Environment variables that usually supply an option. */
const VARIABLES: Record<string, string> = { url: 'TOLLGATE_URL', token: 'TOLLGATE_TOKEN' };

/**
 * Returns a required text option.
 * @throws TollgateConfigError when it is missing, empty or not a string
 */
export function requireText(owner: string, option: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  const found = value === '' || typeof value === 'string' ? 'is empty' : `is ${describe(value)}`;
  const variable = VARIABLES[option];
  const hint =
    variable === undefined ? '' : ` It usually comes from process.env.${variable}; check that it is set.`;
  throw new TollgateConfigError(option, `${owner}: option "${option}" ${found}.${hint}`);
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
 * Tollgate rejected the call: an unknown tenant, an invalid token. A retry fails the same way. Denials and an
 * unavailable Tollgate are not faults. Thrown with `onFault: 'throw'`. Has no `status` field, because frameworks
 * would send it to callers, who did nothing wrong.
 */
export class TollgateFault extends Error {
  override readonly name = 'TollgateFault';
  /** RFC 9457 problem details, as Tollgate answered them. */
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

/** The choice of `onFault` for a call that Tollgate rejected. */
export type FaultChoice = 'throw' | 'allow' | 'deny';

/** Faults caused by the sender's API key, not by the calling service: the sender gets them unchanged. */
const CALLER_FAULTS: ReadonlySet<string> = new Set(['key-invalid', 'key-scope-missing']);

/** Whether a fault is caused by the sender's API key: invalid or without access. */
export function isCallerFault(fault: TollgateFault): boolean {
  return CALLER_FAULTS.has(fault.code);
}

/** Reason why Tollgate was unavailable. */
export interface Unavailable {
  /**
   * `timeout`: no answer within `timeoutMs`. `network`: no connection. `server`: temporarily unable to decide (5xx,
   * 429). `unreadable`: the response is not from Tollgate.
   */
  cause: 'timeout' | 'network' | 'server' | 'unreadable';
  message: string;
}

/** Thrown inside of the SDK only: callers see an {@link Unavailable}. */
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
