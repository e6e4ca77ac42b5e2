import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { type Caller, isPermitted } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf, searchTerm } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type Connection, cursorCodec, idOf, readPage } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { type OverrideStatus, statusOf } from '../overrides/overrides.graphql.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import {
  type SubjectEffect,
  SubjectRule,
  SubjectRuleConnection,
  SubjectRulePayload,
  SubjectRuleRemoveInput,
  SubjectRuleSetInput,
  SubjectRulesArgs,
  showSubjectEffect,
} from './subject-rules.graphql.js';
import { type SubjectRuleRow, SubjectRulesRepository } from './subject-rules.repository.js';
import { SubjectRulesService } from './subject-rules.service.js';

const cursors = cursorCodec('subjectRules', idOf('subjectRule'));

@Resolver(() => SubjectRule)
export class SubjectRulesResolver {
  constructor(
    private readonly rules: SubjectRulesRepository,
    private readonly service: SubjectRulesService,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  @RequireTenantPermission('entitlements:read', 'tenantKey')
  @Query(() => SubjectRuleConnection, {
    name: 'subjectRules',
    description: 'Rules for subjects of one tenant, or of all tenants; newest first.',
  })
  async list(@Args() args: SubjectRulesArgs): Promise<Connection<SubjectRuleRow>> {
    return readPage(args, cursors, ({ id }) => id, this.rules, {
      tenantId: await this.tenants.findFilterId(args.tenantKey),
      liveAt: args.live === true ? this.clock.now() : undefined,
      kind: args.kind ?? undefined,
      search: searchTerm(args.search),
    });
  }

  @RequireTenantPermission('overrides:write', 'input.tenantKey')
  @Mutation(() => SubjectRulePayload, {
    name: 'subjectRuleSet',
    description: 'Sets a rule for some subjects. Requires a reason.',
  })
  async set(@Input() input: SubjectRuleSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('subjectRule', await this.service.set(caller, input));
  }

  @RequireTenantPermission('overrides:write', 'input.tenantKey')
  @Mutation(() => SubjectRulePayload, {
    name: 'subjectRuleRemove',
    description: 'Removes a rule for some subjects. Requires a reason.',
  })
  async remove(@Input() input: SubjectRuleRemoveInput, @CurrentCaller() caller: Caller) {
    return payloadOf('subjectRule', await this.service.remove(caller, input));
  }

  @ResolveField()
  limit(@Parent() { limitName }: SubjectRuleRow): string | null {
    return limitName;
  }

  @ResolveField()
  effect(@Parent() { effect }: SubjectRuleRow): SubjectEffect {
    return showSubjectEffect(effect);
  }

  @ResolveField()
  status(@Parent() rule: SubjectRuleRow): OverrideStatus {
    return statusOf(rule, this.clock.now());
  }

  /** Hidden from members of the tenant: reasons are internal notes. */
  @ResolveField()
  async reason(
    @Parent() { reason }: SubjectRuleRow,
    @Context() context: GraphqlContext,
  ): Promise<string | null> {
    const actor = await context.actor;
    return actor !== undefined && isPermitted(actor, 'entitlements:read') ? reason : null;
  }

  @ResolveField()
  tenant(@Parent() { tenantId }: SubjectRuleRow): Promise<TenantRow | null> {
    return tenantId === null ? Promise.resolve(null) : this.tenants.findById(tenantId);
  }
}
