import { Args, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import { RequireTenantPermission } from '../../../../platform/access/require-permission.decorator.js';
import type { Connection } from '../../../../platform/graphql/connection.js';
import { cursorCodec, parsePage } from '../../../../platform/graphql/paging.js';
import { Decision, DecisionConnection, DecisionsArgs } from './decisions.graphql.js';
import { DecisionsService } from './decisions.service.js';

const cursors = cursorCodec('decisions', z.string().regex(/^[0-9]{1,18}$/));

@Resolver()
export class DecisionsResolver {
  constructor(private readonly decisions: DecisionsService) {}

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => DecisionConnection, {
    name: 'decisions',
    description:
      "A sample of a tenant's decisions, newest first: all refusals while there are not many, some of the rest.",
  })
  list(@Args() args: DecisionsArgs): Promise<Connection<Decision>> {
    return this.decisions.list(args, parsePage(args, cursors), (id) => cursors.encode(id));
  }

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => Decision, {
    name: 'decision',
    nullable: true,
    description:
      'The newest decision of a request id; null when it is not in the sample, or was too long ago.',
  })
  findByRequest(
    @Args('requestId', { description: 'Id of the request, as its answer had it.' }) requestId: string,
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: 'Key of the tenant; an operator may leave it out.',
    })
    tenantKey?: string | null,
  ): Promise<Decision | null> {
    return this.decisions.findByRequest(requestId, tenantKey);
  }
}
