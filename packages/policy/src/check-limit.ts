import { type FieldError, type LimitPolicy, summarizeLimit } from '@tollgate/contracts';
import { compileLimit, parseLimit } from '@tollgate/limiter/rules';
import { CANDIDATE, partOf } from './limit-parts.js';

/** Validates a limit from a form or file. `errors` have the field's dotted path. */
export function checkLimitPolicy(
  input: unknown,
): { ok: true; policy: LimitPolicy; summary: string } | { ok: false; errors: FieldError[] } {
  const parsed = parseLimit(input);
  if (!parsed.ok) return parsed;
  const { stored } = parsed.limit;
  const candidate = partOf(stored, CANDIDATE);
  if (candidate !== undefined) {
    const compiled = compileLimit(candidate);
    if (!compiled.ok) {
      const errors = compiled.errors.map((error) => ({ ...error, field: `candidate.${error.field}` }));
      return { ok: false, errors };
    }
  }
  return { ok: true, policy: stored, summary: summarizeLimit(stored) };
}
