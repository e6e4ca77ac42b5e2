import { Args, Context, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import {
  type Connection,
  cursorCodec,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { LimitLadderService } from './limit-ladder.service.js';
import {
  LimitLadder,
  LimitLadderArgs,
  PolicyRevision,
  PolicyRevisionConnection,
  PolicyRollbackInput,
  PolicyRollbackPayload,
  RevisionChange,
  RevisionDiff,
  RevisionsArgs,
} from './revisions.graphql.js';
import { RevisionHistoryRepository, type RevisionRow } from './revisions.repository.js';
import { RevisionsService } from './revisions.service.js';
import { RollbackService } from './rollback.service.js';

const cursors = cursorCodec('revisions', z.int().min(1));
const SIZE = Symbol('size of a catalogue');

/** Query cost of comparing earlier revisions. */
const LADDER = 50;

/** Changes listed per revision. */
const MAX_CHANGES = 20;

@Resolver(() => PolicyRevision)
export class RevisionsResolver {
  constructor(
    private readonly history: RevisionHistoryRepository,
    private readonly revisions: RevisionsService,
    private readonly rollbacks: RollbackService,
    private readonly ladders: LimitLadderService,
  ) {}

  @RequirePermission('nodes:read')
  @Query(() => PolicyRevisionConnection, {
    name: 'revisions',
    description: 'Published revisions, newest first. The newest 1,000 revisions and catalogues are stored.',
  })
  async list(@Args() args: RevisionsArgs): Promise<Connection<RevisionRow>> {
    const page = parsePage(args, cursors);
    const catalogueOnly = args.catalogueOnly ?? false;
    const rows = await this.history.list(catalogueOnly, page);
    return toConnection(
      rows,
      page,
      ({ number }) => cursors.encode(number),
      () => this.history.count(catalogueOnly),
    );
  }

  @RequirePermission('nodes:read')
  @Query(() => RevisionDiff, {
    name: 'revisionDiff',
    description: 'The differences between two revisions.',
  })
  diff(
    @Args('from', { type: () => Int, description: 'Number of the one.' }) from: number,
    @Args('to', { type: () => Int, description: 'Number of the other.' }) to: number,
  ): Promise<RevisionDiff> {
    return this.revisions.diff(from, to);
  }

  @RequirePermission('nodes:read')
  @Query(() => LimitLadder, {
    name: 'limitLadder',
    nullable: true,
    complexity: LADDER,
    description:
      "A tenant's limit as it was in a revision, with the sources of its value and the change that introduced it; null if the tenant had no such limit or the revision is no longer stored.",
  })
  ladder(@Args() args: LimitLadderArgs): Promise<LimitLadder | null> {
    return this.ladders.find(args);
  }

  @RequirePermission('policy:rollback')
  @Mutation(() => PolicyRollbackPayload, {
    name: 'policyRollback',
    description:
      'Rolls tiers, operations, pools and rules for subjects of all tenants back to an earlier revision, as a new change with a new revision.',
  })
  async rollback(
    @CurrentCaller() caller: Caller,
    @Input() input: PolicyRollbackInput,
  ): Promise<PolicyRollbackPayload> {
    const outcome = await this.rollbacks.rollback(caller, input);
    if (!outcome.ok) return { rollback: null, changeId: null, userErrors: outcome.errors };
    const { value, changeId, impact } = outcome;
    return { rollback: value, changeId, impact, userErrors: [] };
  }

  @ResolveField(() => String, { name: 'hash' })
  hash(@Parent() { catalogueHash }: RevisionRow): string {
    return catalogueHash;
  }

  @ResolveField(() => Int, { name: 'size', nullable: true })
  size(@Parent() row: RevisionRow, @Context() context: GraphqlContext): Promise<number | null> {
    const read = (revisions: string[]) => this.history.listSizes(revisions.map(Number));
    return requestLoader<number | null>(context, SIZE, null, read).load(String(row.catalogueRevision));
  }

  @ResolveField(() => [RevisionChange], { name: 'changes' })
  changes(@Parent() row: RevisionRow): Promise<RevisionChange[]> {
    return this.history.listChanges(row.changeIds.slice(0, MAX_CHANGES));
  }
}
