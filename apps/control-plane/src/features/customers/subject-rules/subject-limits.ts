import { Injectable } from '@nestjs/common';
import { Args, ArgsType, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { Clock } from '../../../platform/clock.js';
import { ArgsOf, enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import {
  type EffectiveLimitRow,
  toEffectiveLimit,
  withSubjectRule,
} from '../tenants/effective-limits.service.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { EffectiveLimit } from '../tenants/tenants.graphql.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import { toPlatformRule } from './subject-rule.rules.js';
import { DecisionSubjectInput, SubjectRule } from './subject-rules.graphql.js';
import { type SubjectRuleRow, SubjectRulesRepository } from './subject-rules.repository.js';

export const SubjectAccess = enumOf('SubjectAccess', 'Whether a limit applies to a subject.', {
  LIMITED: 'It applies.',
  EXEMPT: 'A rule exempts the subject from it; usage is counted.',
  DENIED: 'A rule denies all requests of the subject to the API.',
});
type SubjectAccess = keyof typeof SubjectAccess;

@ObjectType({ description: 'A limit of a tenant for one subject, after the rules for subjects.' })
export class SubjectLimit extends ObjectOf({
  effective: field.of(
    () => EffectiveLimit,
    'The limit with the enforced values, without a live counter; the last step is a rule that changes it.',
  ),
  access: field.of(() => SubjectAccess, 'Whether it applies.'),
  rule: field
    .of(
      () => SubjectRule,
      'The rule that denies or exempts the subject or changes the limit; null if none does. Members of a tenant do not see rules for all tenants.',
    )
    .nullable(),
}) {}

@ArgsType()
export class SubjectLimitsArgs extends ArgsOf({
  tenantKey: field.string('Key of the tenant.'),
  subject: field.of(() => DecisionSubjectInput, 'The values of the request, by dimension.').list(),
}) {}

interface SubjectLimitRow {
  effective: EffectiveLimitRow;
  access: SubjectAccess;
  rule: SubjectRuleRow | null;
}

const ACCESS = { change: 'LIMITED', exempt: 'EXEMPT', deny: 'DENIED' } as const;

/** Limits of tenants for single subjects, with the rules that nodes would apply. */
@Injectable()
export class SubjectLimitsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly rules: SubjectRulesRepository,
    private readonly clock: Clock,
  ) {}

  /** Null if there is no such tenant. */
  async list({ tenantKey, subject }: SubjectLimitsArgs): Promise<SubjectLimitRow[] | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    const situation = tenant && (await this.views.list([tenant.id])).get(tenant.id);
    if (!tenant || !situation) return null;
    const now = this.clock.now();
    const platform = await this.rules.listLive(null, now);
    const rows = new Map(
      [...(await this.rules.listLive(tenant.id, now)), ...platform].map((row) => [row.id, row]),
    );
    const { view, stored, adjustments } = situation;
    const values = Object.fromEntries(subject.map(({ dimension, value }) => [dimension, value]));
    const treatments = view.treatmentsOf(values, platform.map(toPlatformRule));
    return view.limits.flatMap((resolved, i): SubjectLimitRow[] => {
      const base = stored[i];
      if (base === undefined) return [];
      const effective = { ...toEffectiveLimit(base, resolved, adjustments), live: null };
      const treatment = treatments[i];
      const rule = treatment && rows.get(treatment.rule);
      if (treatment === undefined || rule === undefined)
        return [{ effective, access: 'LIMITED', rule: null }];
      return [{ effective: withSubjectRule(effective, rule), access: ACCESS[treatment.kind], rule }];
    });
  }
}

@Resolver()
export class SubjectLimitsResolver {
  constructor(private readonly service: SubjectLimitsService) {}

  @RequireTenantPermission('entitlements:read', 'tenantKey')
  @Query(() => [SubjectLimit], {
    name: 'subjectLimits',
    nullable: true,
    description:
      "A tenant's limits for one subject now: the effective limits, changed by the most specific rule, lifted or denied; null if there is no such tenant.",
  })
  list(@Args() args: SubjectLimitsArgs): Promise<SubjectLimitRow[] | null> {
    return this.service.list(args);
  }
}
