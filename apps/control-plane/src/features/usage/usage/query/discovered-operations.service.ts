import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { badInput } from '../../../../platform/errors/api-error.js';
import type { DiscoveredOperation, DiscoveredOperationsArgs } from './discovered-operations.graphql.js';
import { DiscoveredOperationsRepository } from './discovered-operations.repository.js';
import { parseFilter } from './usage.service.js';

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
