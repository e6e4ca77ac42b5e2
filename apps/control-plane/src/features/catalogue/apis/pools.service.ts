import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  taken,
  userError,
  withChanges,
} from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { findOperationProblems, MAX_POOLS_PER_API } from './api.rules.js';
import {
  type PoolCreateInput,
  type PoolDeleteInput,
  type PoolUpdateInput,
  poolCreateSchema,
  poolDeleteSchema,
  poolUpdateSchema,
} from './apis.graphql.js';
import {
  type ApiRow,
  ApisRepository,
  type PoolFacts,
  type PoolRow,
  PoolsRepository,
  poolFacts,
} from './apis.repository.js';
import { ApisService } from './apis.service.js';

/** Pools of capacity. Each change increments the version of the pool's API. */
@Injectable()
export class PoolsService {
  constructor(
    private readonly pools: PoolsRepository,
    private readonly apis: ApisRepository,
    private readonly service: ApisService,
  ) {}

  /** Pools, oldest first, per API id; APIs without pools are omitted. */
  list(apiIds: string[]): Promise<Map<string, PoolRow[]>> {
    return this.pools.list(apiIds);
  }

  /** Adds a pool to an API. Errors: INVALID, NOT_FOUND, CONFLICT, TAKEN. */
  async create(caller: Caller, input: PoolCreateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(poolCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { name, operations, capacity, reclaimPercent, warmUp = null } = parsed.data;
    return this.changeApi(caller, parsed.data, async (change, api, pools) => {
      const problems = await this.checkOperations(change, api, operations);
      if (problems.length > 0) return refuse(problems, api);
      if (pools.some((pool) => pool.name === name)) return refuse([taken(['name'], 'This name')], api);
      if (pools.length >= MAX_POOLS_PER_API) {
        const message = `An API has ${MAX_POOLS_PER_API} pools at most`;
        return refuse([invalid(['apiKey'], message)], api);
      }
      const facts = { operations, capacity, reclaimPercent, warmUp };
      const pool = await this.pools.create(change.tx, api.id, name, facts);
      return this.finish(change, 'pool.create', api, pool, null, facts);
    });
  }

  /** Changes the given fields; a warm-up of null removes it. Errors: INVALID, NOT_FOUND, CONFLICT. */
  async update(caller: Caller, input: PoolUpdateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(poolUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { name, operations } = parsed.data;
    return this.changeApi(caller, parsed.data, async (change, api, pools) => {
      const pool = pools.find((one) => one.name === name);
      if (pool === undefined) return refuse([noPool(name, api)], api);
      const problems = await this.checkOperations(change, api, operations ?? []);
      if (problems.length > 0) return refuse(problems, api);
      const before = poolFacts(pool);
      const { warmUp = before.warmUp } = parsed.data;
      const facts = { ...withChanges(before, parsed.data), warmUp };
      await this.pools.update(change.tx, pool.id, facts);
      return this.finish(change, 'pool.update', api, pool, before, facts);
    });
  }

  /** Deletes a pool that no limit borrows from. Errors: NOT_FOUND, CONFLICT, IN_USE. */
  async delete(caller: Caller, input: PoolDeleteInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(poolDeleteSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { name } = parsed.data;
    return this.changeApi(caller, parsed.data, async (change, api, pools) => {
      const pool = pools.find((one) => one.name === name);
      if (pool === undefined) return refuse([noPool(name, api)], api);
      const tiers = await this.pools.listBorrowers(change.tx, pool);
      if (tiers.length > 0) {
        const message = `Limits of these tiers borrow from the pool: ${tiers.join(', ')}`;
        return refuse([userError(UserErrorCode.IN_USE, ['name'], message)], api);
      }
      await this.pools.delete(change.tx, pool.id);
      return this.finish(change, 'pool.delete', api, pool, poolFacts(pool), null);
    });
  }

  private changeApi(
    caller: Caller,
    input: z.output<typeof poolDeleteSchema>,
    work: (change: Change, api: ApiRow, pools: PoolRow[]) => Promise<ApiRow | Refusal<ApiRow>>,
  ): Promise<Outcome<ApiRow>> {
    return this.service.change(caller, input, async (change, api) =>
      work(change, api, (await this.pools.list([api.id], change.tx)).get(api.id) ?? []),
    );
  }

  private async checkOperations(change: Change, api: ApiRow, operations: string[]): Promise<UserError[]> {
    const known = (await this.apis.listOperations([api.id], change.tx)).get(api.id) ?? [];
    return findOperationProblems(operations, new Set(known.map(({ name }) => name)), api.key);
  }

  private async finish(
    change: Change,
    action: AuditAction,
    api: ApiRow,
    pool: PoolRow,
    before: PoolFacts | null,
    after: PoolFacts | null,
  ): Promise<ApiRow> {
    const named = (facts: PoolFacts | null) => facts && { apiKey: api.key, name: pool.name, ...facts };
    await change.audit({
      action,
      entityId: pool.id,
      entityName: pool.name,
      entityKey: api.key,
      before: named(before),
      after: named(after),
    });
    change.publish('CATALOGUE', `api:${api.key}`);
    return this.apis.raiseVersion(change.tx, api.id);
  }
}

function noPool(name: string, api: ApiRow): UserError {
  return notFound(['name'], `pool "${name}" in API "${api.key}"`);
}
