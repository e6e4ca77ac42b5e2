import { type FieldError, type LimitPolicy, limitPolicySchema, summarizeLimit } from '@tollgate/contracts';
import { compileLimit } from '@tollgate/limiter/rules';
import { CANDIDATE, partOf } from './limit-parts.js';

/** Validates a limit from a form or file. `errors` have the field's dotted path. */
export function checkLimitPolicy(
  input: unknown,
): { ok: true; policy: LimitPolicy; summary: string } | { ok: false; errors: FieldError[] } {
  const parsed = limitPolicySchema.safeParse(input);
  if (!parsed.success) {
    const errors = parsed.error.issues.map((issue) => ({
      field: issue.path.join('.'),
      message: issue.message,
    }));
    return { ok: false, errors };
  }
  const compiled = compileLimit(parsed.data);
  if (!compiled.ok) return compiled;
  const candidate = partOf(parsed.data, CANDIDATE);
  if (candidate !== undefined) {
    const compiledCandidate = compileLimit(candidate);
    if (!compiledCandidate.ok) {
      return {
        ok: false,
        errors: compiledCandidate.errors.map((error) => ({ ...error, field: `candidate.${error.field}` })),
      };
    }
  }
  return { ok: true, policy: parsed.data, summary: summarizeLimit(parsed.data) };
}
