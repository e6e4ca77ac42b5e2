import { ArgsType, InputType, Int, ObjectType } from '@nestjs/graphql';
import {
  apiKeySchema,
  dimensionSchema,
  limitNameSchema,
  MAX_SUBJECT_PATTERN,
  MAX_SUBJECT_RULES,
  MAX_SUBJECT_VALUE,
  type SubjectEffect as StoredEffect,
  subjectDimensionSchema,
  subjectEffectSchema,
  tenantKeySchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import { ManagedInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  enumOf,
  field,
  InputOf,
  idField,
  NestedInput,
  ObjectOf,
} from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { ManagedBy } from '../../../platform/prisma/schema.js';
import { upper } from '../../catalogue/index.js';
import { mandatoryReason } from '../entitlements/entitlements.graphql.js';
import { OverrideStatus } from '../overrides/overrides.graphql.js';
import { Tenant } from '../tenants/tenants.graphql.js';

export const SubjectEffectKind = enumOf('SubjectEffectKind', 'Effect of a rule on matching requests.', {
  SET: 'Replaces the number of one limit; burst, capacity and queue keep their proportion.',
  MULTIPLY: 'Multiplies one limit by a percentage: 200 doubles it.',
  EXEMPT: 'Limits do not apply; usage is counted.',
  DENY: 'Requests are denied, marked BLOCKED. Precedes EXEMPT.',
});
export type SubjectEffectKind = keyof typeof SubjectEffectKind;

@ObjectType({ description: 'Effect of a subject rule. Fields of other kinds are null.' })
export class SubjectEffect extends ObjectOf({
  kind: field.of(() => SubjectEffectKind, 'Kind of effect.'),
  limit: field.safeInt('SET: the limit.').nullable(),
  percent: field.int('MULTIPLY: percentage of the limit.').nullable(),
  message: field.string('DENY: text for denied callers; null: a general one.').nullable(),
}) {}

/** An effect in its GraphQL form: `kind` determines which of the other fields apply. */
const effectFields = z.object({
  kind: z.enum(SubjectEffectKind).describe('Kind of effect.'),
  limit: z
    .number()
    .meta({ graphql: () => SafeInt })
    .nullish()
    .describe('SET: the limit, 1 or more.'),
  percent: z
    .number()
    .meta({ graphql: () => Int })
    .nullish()
    .describe('MULTIPLY: percentage of the limit, 1 to 1,000,000.'),
  message: z.string().nullish().describe('DENY: text for denied callers, 200 characters at most.'),
});

@InputType({ description: 'Effect of a subject rule. Set only the fields of its kind.' })
class SubjectEffectInput extends InputOf(effectFields) {}
NestedInput(effectFields)(SubjectEffectInput);

const effect = effectFields
  .transform(({ kind, ...fields }, context): StoredEffect => {
    const given = Object.entries(fields).filter(([, value]) => value != null);
    const parsed = subjectEffectSchema.safeParse({ kind: kind.toLowerCase(), ...Object.fromEntries(given) });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const foreign = issue.code === 'unrecognized_keys' ? issue.keys : [];
      for (const name of foreign) {
        const message = `${kind} does not accept ${name}`;
        context.issues.push({ code: 'custom', path: [name], message, input: fields });
      }
      if (foreign.length === 0)
        context.issues.push({ code: 'custom', path: issue.path, message: issue.message, input: fields });
    }
    return z.NEVER;
  })
  .describe('Effect.');

export const subjectRuleSetSchema = z.object({
  tenantKey: tenantKeySchema
    .nullish()
    .describe(
      'Key of the tenant; omitted: the rule applies to subjects of all tenants (EXEMPT or DENY only).',
    ),
  dimension: subjectDimensionSchema.describe('Dimension, such as `user`, `ip` or `key`.'),
  pattern: z
    .string()
    .min(1, 'Enter a pattern')
    .max(MAX_SUBJECT_PATTERN, `A pattern has at most ${MAX_SUBJECT_PATTERN} characters`)
    .describe('A value, a prefix and `*`, or for `ip` an address or a network such as 10.0.0.0/8.'),
  apiKey: apiKeySchema
    .nullish()
    .transform((key) => key ?? null)
    .describe('Key of the API; omitted: every API.'),
  limit: limitNameSchema
    .nullish()
    .transform((name) => name ?? null)
    .describe('Name of the limit; required for SET and MULTIPLY; with EXEMPT, the only limit to lift.'),
  effect,
  startsAt: z.date().nullish().describe('Start; omitted: now.'),
  expiresAt: z.date().nullish().describe('End, to the second; omitted: when it is removed.'),
  reason: mandatoryReason,
});

@InputType({
  description: `A rule for some subjects. It replaces another one with the same pattern, API and limit. A tenant has at most ${MAX_SUBJECT_RULES} rules.`,
})
export class SubjectRuleSetInput extends InputOf(subjectRuleSetSchema, ManagedInput) {}

export const subjectRuleRemoveSchema = z.object({
  tenantKey: tenantKeySchema.nullish().describe('Key of the tenant; omitted: a rule for all tenants.'),
  id: idField('The rule.').refine((id) => kindOfId(id) === 'subjectRule', 'Not the id of a subject rule'),
  reason: mandatoryReason,
});

@InputType({ description: 'The subject rule to remove.' })
export class SubjectRuleRemoveInput extends InputOf(subjectRuleRemoveSchema, ManagedInput) {}

@ObjectType({
  implements: () => [Node],
  description:
    'A rule for requests with some values of a dimension. DENY precedes EXEMPT, which precedes changes of a limit; of these, the most specific pattern applies: a value, then the longest network, then the longest prefix.',
})
export class SubjectRule extends ObjectOf(Node, {
  dimension: field.string('Dimension.'),
  pattern: field.string('Value, prefix and `*`, address or network.'),
  apiKey: field.string('Key of the API; null: every API.').nullable(),
  limit: field.string('Name of the limit; null: every limit.').nullable(),
  effect: field.of(() => SubjectEffect, 'Effect on matching requests.'),
  status: field.of(() => OverrideStatus, 'Status.'),
  reason: field.string('Reason; null for members of the tenant.').nullable(),
  startsAt: field.dateTime('Start.'),
  endsAt: field.dateTime('When it ends automatically; null: when it is removed.').nullable(),
  createdBy: field.string('Author.'),
  createdAt: field.dateTime('When it was created.'),
  removedBy: field.string('Who removed or replaced it; null: nobody.').nullable(),
  removedAt: field.dateTime('When it was removed or replaced; null: it was not.').nullable(),
  managedBy: field.of(() => ManagedBy, 'Whether the console or a configuration manages it.'),
  tenant: field.of(() => Tenant, 'The tenant; null: the rule applies to all tenants.').nullable(),
}) {}

export const SubjectRuleConnection = connectionOf(SubjectRule, 'SubjectRule', 'subject rules');

export const subjectSchema = z.object({
  dimension: dimensionSchema.describe('Dimension, such as `user` or `ip`.'),
  value: z
    .string()
    .min(1, 'Enter a value, or leave the dimension out')
    .max(MAX_SUBJECT_VALUE, `Enter a value of at most ${MAX_SUBJECT_VALUE} characters`)
    .describe('The identifier.'),
});

@NestedInput(subjectSchema)
@InputType({ description: 'A value that identifies the caller in one dimension.' })
export class DecisionSubjectInput extends InputOf(subjectSchema) {}

@ArgsType()
export class SubjectRulesArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Rules of this tenant; omitted: rules for all tenants.').optional(),
  live: field.boolean('Only active and scheduled ones.').optional(),
  kind: field.of(() => SubjectEffectKind, 'Only with this effect.').optional(),
  search: field.string('Only with this in the pattern or the reason.').optional(),
}) {}

@ObjectType({ description: 'Outcome of a change to a subject rule.' })
export class SubjectRulePayload extends ObjectOf(PublishedPayload, {
  subjectRule: field.of(() => SubjectRule, 'The rule.').nullable(),
}) {}

/** A stored effect in its GraphQL form. */
export function showSubjectEffect(column: unknown): SubjectEffect {
  const { kind, ...fields } = subjectEffectSchema.parse(column);
  return { limit: null, percent: null, message: null, ...fields, kind: upper(kind) } as SubjectEffect;
}
