import type { UserErrorCode } from '../generated/graphql.js';

/** What a mutation says about its input; `field` is the path into the input, null for the whole of it. */
export interface UserErrorInfo {
  code: UserErrorCode;
  field?: string[] | null;
  message: string;
}

/** A mutation that was refused for its input; nothing was changed. */
export class UserErrorsError extends Error {
  override readonly name = 'UserErrorsError';
  constructor(readonly userErrors: readonly UserErrorInfo[]) {
    super(userErrors.map((error) => error.message).join(' '));
  }
}

/** Throws when a payload carries user errors, so that a mutation hook has one way to fail. */
export function throwUserErrors(payload: { userErrors: readonly UserErrorInfo[] }): void {
  if (payload.userErrors.length > 0) throw new UserErrorsError(payload.userErrors);
}

/** Whether a mutation was refused because somebody else has changed meanwhile what it is about. */
export function isConflict(error: unknown): boolean {
  return error instanceof UserErrorsError && error.userErrors.some(({ code }) => code === 'CONFLICT');
}

/** Messages by field for a form, and those that belong to no field in `form`. */
export function errorsByField(
  error: unknown,
  fields: readonly string[],
): { byField: Record<string, string>; form: string | undefined } {
  if (error === null || error === undefined) return { byField: {}, form: undefined };
  if (!(error instanceof UserErrorsError)) {
    return { byField: {}, form: error instanceof Error ? error.message : 'That did not work.' };
  }
  const byField: Record<string, string> = {};
  const rest: string[] = [];
  for (const { field, message } of error.userErrors) {
    const name = field?.find((part) => fields.includes(part));
    if (name) byField[name] = message;
    else rest.push(message);
  }
  return { byField, form: rest.length > 0 ? rest.join(' ') : undefined };
}
