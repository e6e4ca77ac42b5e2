import { Injectable } from '@nestjs/common';
import { Args, ArgsType, Field, Int, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { Clock } from '../../../platform/clock.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { UsageCount } from './usage.graphql.js';
import { DiscoveredOperationsRepository } from './usage.repository.js';
import { parseFilter } from './usage.service.js';

@ObjectType({ description: 'An operation that was asked for lately and that nothing limits.' })
export class DiscoveredOperation extends UsageCount {
  @Field({ description: 'The API that requests name.' })
  apiKey!: string;

  @Field({ description: 'Whether there is such an API.' })
  apiKnown!: boolean;

  @Field({ description: 'The operation that requests name.' })
  operation!: string;

  @Field({ description: 'Whether the API has it: then no limit applied to these requests.' })
  known!: boolean;

  @Field(() => Int, { description: 'How many tenants asked for it.' })
  tenants!: number;

  @Field(() => DateTime, { description: 'The last hour in which it was asked for.' })
  lastHour!: Date;
}

@ArgsType()
export class DiscoveredOperationsArgs {
  @Field(() => String, { nullable: true, description: 'Only of this API.' })
  apiKey?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'How many, 1 to 100.' })
  first?: number | null;
}

const DEFAULT_FIRST = 50;
const MAX_FIRST = 100;

/** What was not asked for in so long is forgotten. */
const LOOK_BACK_MS = 7 * 24 * 3_600_000;

/** Says what services ask about and nobody has limited yet. */
@Injectable()
export class DiscoveredOperationsService {
  constructor(
    private readonly operations: DiscoveredOperationsRepository,
    private readonly clock: Clock,
  ) {}

  /** Of the last seven days. @throws ApiError BAD_USER_INPUT for a number that one answer cannot hold */
  async list({ apiKey, first }: DiscoveredOperationsArgs): Promise<DiscoveredOperation[]> {
    const most = first ?? DEFAULT_FIRST;
    if (most < 1 || most > MAX_FIRST) throw badInput(`first must be 1 to ${MAX_FIRST}`);
    const { apiKey: named } = parseFilter({ apiKey });
    const since = new Date(this.clock.now().getTime() - LOOK_BACK_MS);
    const rows = await this.operations.list(named ?? undefined, since, most);
    return rows.map(({ api, count, refused, units, at, ...row }) => ({
      ...row,
      apiKey: api,
      count: Number(count),
      refused: Number(refused),
      units: Number(units),
      lastHour: at,
    }));
  }
}

/** What a query costs that adds up many tenants' rows. */
const SUMS_OF_ALL = 50;

@Resolver()
export class DiscoveredOperationsResolver {
  constructor(private readonly service: DiscoveredOperationsService) {}

  @RequirePermission('usage:read')
  @Query(() => [DiscoveredOperation], {
    name: 'discoveredOperations',
    complexity: SUMS_OF_ALL,
    description:
      'Operations that were asked for in the last seven days and that nothing limits, most asked for first.',
  })
  list(@Args() args: DiscoveredOperationsArgs): Promise<DiscoveredOperation[]> {
    return this.service.list(args);
  }
}
