import { Injectable } from '@nestjs/common';
import { Args, ArgsType, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { Clock } from '../../../platform/clock.js';
import { ArgsOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { UsageCount } from './usage.graphql.js';
import { countOf, DiscoveredOperationsRepository } from './usage.repository.js';
import { parseFilter } from './usage.service.js';

@ObjectType({ description: 'An operation with recent requests that no limit covers.' })
export class DiscoveredOperation extends ObjectOf(UsageCount, {
  apiKey: field.string('API key named by requests.'),
  apiKnown: field.boolean('Whether the API exists.'),
  operation: field.string('Operation named by requests.'),
  known: field.boolean('Whether the API has this operation; if so, no limit applied to these requests.'),
  tenants: field.int('Number of tenants that requested it.'),
  lastHour: field.dateTime('The last hour with requests.'),
}) {}

@ArgsType()
export class DiscoveredOperationsArgs extends ArgsOf({
  apiKey: field.string('Only this API.').optional(),
  first: field.int('Maximum number, 1 to 100.').optional(50),
}) {}

const DEFAULT_FIRST = 50;
const MAX_FIRST = 100;

/** Period that is searched. */
const LOOK_BACK_MS = 7 * 24 * 3_600_000;

/** Finds requested operations that no limit covers. */
@Injectable()
export class DiscoveredOperationsService {
  constructor(
    private readonly operations: DiscoveredOperationsRepository,
    private readonly clock: Clock,
  ) {}

  /** Requests of the last seven days. @throws ApiError BAD_USER_INPUT if `first` is out of range */
  async list({ apiKey, first }: DiscoveredOperationsArgs): Promise<DiscoveredOperation[]> {
    const most = first ?? DEFAULT_FIRST;
    if (most < 1 || most > MAX_FIRST) throw badInput(`first must be 1 to ${MAX_FIRST}`);
    const { apiKey: named } = parseFilter({ apiKey });
    const since = new Date(this.clock.now().getTime() - LOOK_BACK_MS);
    const rows = await this.operations.list(named ?? undefined, since, most);
    return rows.map(({ api, at, ...row }) => ({
      ...row,
      ...countOf(row),
      apiKey: api,
      lastHour: at,
    }));
  }
}

/** Query cost of summing many tenants' rows. */
const SUMS_OF_ALL = 50;

@Resolver()
export class DiscoveredOperationsResolver {
  constructor(private readonly service: DiscoveredOperationsService) {}

  @RequirePermission('usage:read')
  @Query(() => [DiscoveredOperation], {
    name: 'discoveredOperations',
    complexity: SUMS_OF_ALL,
    description: 'Operations of the last seven days that no limit covers, most requested first.',
  })
  list(@Args() args: DiscoveredOperationsArgs): Promise<DiscoveredOperation[]> {
    return this.service.list(args);
  }
}
