/** Thrown at construction and by `verify` for a wrong or missing option; `option` names it. */
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
