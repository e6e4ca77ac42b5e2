import { Args, Query, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { cursorCodec } from '../../../platform/graphql/paging.js';
import { kindOfId } from '../../../platform/ids.js';
import { LintSeverity } from '../../catalogue/index.js';
import { OverrideLint } from './override-lint.graphql.js';
import { OverrideLintService } from './override-lint.service.js';

const cursors = cursorCodec(
  'overrideLint',
  z.string().refine((id) => kindOfId(id) === 'override'),
);

@Resolver(() => OverrideLint)
export class OverrideLintResolver {
  constructor(private readonly service: OverrideLintService) {}

  @RequireTenantPermission('entitlements:read', 'tenantKey')
  @Query(() => OverrideLint, {
    name: 'overrideLint',
    description: 'Overrides and boosts that have ended or change nothing, of 200 at a time, newest first.',
  })
  async lint(
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Only of the tenant of this key; left out: of all that the caller may see.',
    })
    tenantKey?: string | null,
    @Args('after', { type: () => String, nullable: true, description: 'The `endCursor` of the last answer.' })
    after?: string | null,
  ) {
    if (tenantKey != null && !tenantKeySchema.safeParse(tenantKey).success)
      throw badInput('tenantKey is not a tenant key');
    const place = after == null ? undefined : cursors.decode(after);
    const { findings, last } = await this.service.lint(tenantKey ?? null, place);
    return {
      findings: findings.map((finding) => ({ ...finding, severity: severityOf(finding.code) })),
      endCursor: last === null ? null : cursors.encode(last),
    };
  }
}

function severityOf(code: string): LintSeverity {
  return code === 'EXPIRED' ? LintSeverity.INFO : LintSeverity.WARNING;
}
