import type { LimitPolicy } from '@tollgate/contracts';
import dayjs from 'dayjs';
import type { SubjectEffectKind, SubjectRuleSetInput } from '../../generated/graphql.js';
import { effectOf, parseEffectAmount } from '../../lib/effect-text.js';
// Loads the time zones of dayjs.
import '../../lib/time-format.js';
import { effectText } from './adjustment-draft.js';
import type { SubjectRuleInList } from './subject-rules-api.js';

/** Who has the rules: a tenant, or all tenants. */
export interface RuleOwner {
  /** Null: all tenants. */
  key: string | null;
  /** As in `Rule of …`. */
  name: string;
  /** Zone of the times that are typed and shown. */
  timeZone: string;
  apis: readonly string[];
  /** Empty for all tenants, whose rules concern no single limit. */
  limits: readonly LimitPolicy[];
}

/** A rule as typed. Times are values of `datetime-local` inputs in the owner's time zone; empty: now, no end. */
export interface SubjectRuleDraft {
  dimension: string;
  pattern: string;
  apiKey: string | null;
  limit: string | null;
  kind: SubjectEffectKind;
  amount: string;
  message: string;
  startsAt: string;
  expiresAt: string;
  reason: string;
}

export const NEW_RULE: SubjectRuleDraft = {
  ...{ dimension: 'user', pattern: '', apiKey: null, limit: null },
  ...{ kind: 'DENY', amount: '', message: '' },
  ...{ startsAt: '', expiresAt: '', reason: '' },
};

/** A rule to edit. One that is active starts now, because its replacement cannot start in the past. */
export function draftOf(rule: SubjectRuleInList, timeZone: string): SubjectRuleDraft {
  const { dimension, pattern, apiKey, limit, effect, status, startsAt, endsAt, reason } = rule;
  return {
    ...{ dimension, pattern, apiKey, limit, kind: effect.kind },
    amount:
      effect.limit !== null ? String(effect.limit) : effect.percent !== null ? `${effect.percent} %` : '',
    message: effect.message ?? '',
    startsAt: status === 'SCHEDULED' ? localText(startsAt, timeZone) : '',
    expiresAt: endsAt === null ? '' : localText(endsAt, timeZone),
    reason: reason ?? '',
  };
}

const isChange = (kind: SubjectEffectKind): kind is 'SET' | 'MULTIPLY' =>
  kind === 'SET' || kind === 'MULTIPLY';

/** Rules for all tenants concern no single limit. */
export const kindsFor = ({ key }: Pick<RuleOwner, 'key'>): SubjectEffectKind[] =>
  key === null ? ['DENY', 'EXEMPT'] : ['DENY', 'EXEMPT', 'SET', 'MULTIPLY'];

/** Effects that the target of an existing rule allows; a rule with another target would be a second one. */
export const effectsFor = ({ limit }: SubjectRuleInList): SubjectEffectKind[] =>
  limit === null ? ['DENY', 'EXEMPT'] : ['EXEMPT', 'SET', 'MULTIPLY'];

/** Missing and unreadable values by field; the server checks the others. */
export function findDraftProblems({
  dimension,
  pattern,
  apiKey,
  limit,
  kind,
  amount,
}: SubjectRuleDraft): Record<string, string> {
  const problems: Record<string, string> = {};
  if (dimension.trim() === '') problems.dimension = 'Choose a dimension';
  if (pattern.trim() === '') problems.pattern = 'Enter a value or a pattern';
  if (!isChange(kind)) return problems;
  if (apiKey === null) problems.apiKey = 'Choose an API';
  else if (limit === null) problems.limit = 'Choose a limit';
  const parsed = parseEffectAmount({ kind, amount });
  if (!parsed.ok) problems.effect = parsed.message;
  return problems;
}

/** Input of `subjectRuleSet` for a draft without problems. @param edited keeps the seconds of its times */
export function subjectRuleInput(
  { key: tenantKey, timeZone }: Pick<RuleOwner, 'key' | 'timeZone'>,
  { dimension, pattern, apiKey, limit, kind, amount, message, startsAt, expiresAt, reason }: SubjectRuleDraft,
  edited?: SubjectRuleInList,
): SubjectRuleSetInput {
  const effect = isChange(kind) ? effectOf({ kind, amount }) : undefined;
  return {
    ...{ tenantKey, dimension: dimension.trim(), pattern: pattern.trim(), apiKey, reason },
    limit: kind === 'DENY' ? null : limit,
    effect: {
      kind,
      ...(kind === 'SET' && { limit: effect?.limit }),
      ...(kind === 'MULTIPLY' && { percent: effect?.percent }),
      ...(kind === 'DENY' && { message: message.trim() || null }),
    },
    startsAt: instantOf(startsAt, timeZone, edited?.startsAt),
    expiresAt: instantOf(expiresAt, timeZone, edited?.endsAt),
  };
}

/** `Deny`, `Exempt`, `= 500`, `× 2`. */
export function subjectEffectText({ kind, limit, percent }: SubjectRuleInList['effect']): string {
  if (isChange(kind)) return effectText({ kind, limit, percent });
  return kind === 'DENY' ? 'Deny' : 'Exempt';
}

const localText = (at: string, timeZone: string): string => dayjs(at).tz(timeZone).format('YYYY-MM-DDTHH:mm');

function instantOf(text: string, timeZone: string, before: string | null | undefined): string | null {
  if (text === '') return null;
  return before && localText(before, timeZone) === text ? before : dayjs.tz(text, timeZone).toISOString();
}
