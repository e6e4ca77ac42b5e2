import { type PlatformRule, type SubjectRule as Rule, subjectEffectSchema } from '@tollgate/contracts';
import type { SubjectRuleRow } from './subject-rules.repository.js';

/** Whether nodes get the rule: it is not removed and has not ended. */
export function isLiveRule(
  { removedAt, endsAt }: Pick<SubjectRuleRow, 'removedAt' | 'endsAt'>,
  now: Date,
): boolean {
  return removedAt === null && (endsAt === null || endsAt > now);
}

/** As `toSubjectRule`; a rule without a limit, as all of the platform are, only exempts or denies. */
export const toPlatformRule = (row: SubjectRuleRow): PlatformRule => toSubjectRule(row) as PlatformRule;

/** The form in policy records. */
export function toSubjectRule(row: SubjectRuleRow): Rule {
  const { id, dimension, pattern, apiKey, limitName, effect, startsAt, endsAt } = row;
  return {
    id,
    dimension,
    pattern,
    ...(apiKey === null ? {} : { api: apiKey }),
    ...(limitName === null ? {} : { limit: limitName }),
    effect: subjectEffectSchema.parse(effect),
    fromMs: startsAt.getTime(),
    ...(endsAt === null ? {} : { untilMs: endsAt.getTime() }),
  };
}
