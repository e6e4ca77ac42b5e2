import { Injectable } from '@nestjs/common';
import { apiKeySchema, EVERY_API } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  searchTerm,
  taken,
  userError,
  withChanges,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import type { Page } from '../../../platform/graphql/connection.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import type { Priority } from '../../../platform/prisma/schema.js';
import { findCostProblems } from './api.rules.js';
import {
  type ApiCreateInput,
  type ApiDeleteInput,
  type ApiUpdateInput,
  apiChangeSchema,
  apiCreateSchema,
  apiUpdateSchema,
  type OperationCreateInput,
  type OperationDeleteInput,
  type OperationUpdateInput,
  operationCreateSchema,
  operationSchema,
  operationUpdateSchema,
} from './apis.graphql.js';
import { type ApiRow, ApisRepository, limitsOn, type OperationRow } from './apis.repository.js';

/** APIs and their operations. */
@Injectable()
export class ApisService {
  constructor(
    private readonly apis: ApisRepository,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  list(search: string | null | undefined, page: Page<string>): Promise<ApiRow[]> {
    return this.apis.list(searchTerm(search), page);
  }

  count(search: string | null | undefined): Promise<number> {
    return this.apis.count(searchTerm(search));
  }

  async findByKey(key: string): Promise<ApiRow | null> {
    return apiKeySchema.safeParse(key).success ? this.apis.findByKey(key) : null;
  }

  /** Reads within the transaction of a change. */
  findInChange({ tx }: Change, key: string): Promise<ApiRow | null> {
    return this.apis.findByKey(key, tx);
  }

  listOperations(apiIds: string[]): Promise<Map<string, OperationRow[]>> {
    return this.apis.listOperations(apiIds);
  }

  /** Creates an API with the named operations. Errors: INVALID, TAKEN. */
  async create(caller: Caller, input: ApiCreateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(apiCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, operations, ...data } = parsed.data;
    return this.changes.run(caller, { reason, onTaken: taken(['key'], 'This key') }, async (change) => {
      const api = await this.apis.create(change.tx, data);
      for (const name of operations) await this.apis.createOperation(change.tx, { apiId: api.id, name });
      await change.audit({
        action: 'api.create',
        ...subjectOf(api),
        before: null,
        after: operations.length === 0 ? data : { ...data, operations },
      });
      change.publish('CATALOGUE', `api:${api.key}`);
      return api;
    });
  }

  /** Changes the fields of an API. Errors: INVALID, NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG. */
  async update(caller: Caller, input: ApiUpdateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(apiUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.change(caller, parsed.data, async (change, api) => {
      const before = factsOf(api);
      const after = withChanges(before, parsed.data);
      await change.audit({ action: 'api.update', ...subjectOf(api), before, after });
      change.publish('CATALOGUE', `api:${api.key}`);
      return this.apis.update(change.tx, api.id, after);
    });
  }

  /**
   * Deletes an API with its operations and pools; its key can be reused. Errors: NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG;
   * IN_USE while a tier has limits on it.
   */
  async delete(caller: Caller, input: ApiDeleteInput): Promise<Outcome<ApiRow | null>> {
    const parsed = parseInput(apiChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.change<ApiRow | null>(caller, parsed.data, async (change, api) => {
      const tiers = await this.apis.listTiersWithLimit(change.tx, limitsOn(api));
      if (tiers.length > 0) {
        const message = `Tiers have limits on this API: ${tiers.join(', ')}. Remove these limits and the default limits of the API first.`;
        return refuse([userError(UserErrorCode.IN_USE, ['apiKey'], message)], api);
      }
      await this.apis.delete(change.tx, api.id, this.clock.now());
      const before = { key: api.key, ...factsOf(api) };
      await change.audit({ action: 'api.delete', ...subjectOf(api), before, after: null });
      change.publish('CATALOGUE', `api:${api.key}`);
      return null;
    });
  }

  /**
   * Deletes an operation: `unknownOperations` of the API then applies to its requests. Errors: NOT_FOUND, CONFLICT,
   * MANAGED_BY_CONFIG; IN_USE while limits or pools list it.
   */
  async deleteOperation(caller: Caller, input: OperationDeleteInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(operationSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { name } = parsed.data;
    return this.change(caller, parsed.data, async (change, api) => {
      const old = await this.apis.findOperationByName(change.tx, api.id, name);
      if (old === null) return refuse([noOperation(name, api)], api);
      const uses = await this.listUses(change, api, name);
      if (uses.length > 0) {
        const message = `The operation is used by ${uses.join('; ')}. Remove it there first.`;
        return refuse([userError(UserErrorCode.IN_USE, ['name'], message)], api);
      }
      await this.apis.deleteOperation(change.tx, old.id);
      return this.finish(change, 'operation.delete', api, old, operationFactsOf(old), null);
    });
  }

  private async listUses({ tx }: Change, { id }: ApiRow, operation: string): Promise<string[]> {
    const uses = [
      [
        'limits of tier',
        await this.apis.listTiersWithLimit(tx, { apiId: id, operations: { has: operation } }),
      ],
      ['default limit', await this.apis.listDefaultLimitsWithOperation(tx, id, operation)],
      ['pool', await this.apis.listPoolsWithOperation(tx, id, operation)],
    ] as const;
    return uses.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what} ${names.join(', ')}`]));
  }

  /** Adds an operation. Errors: NOT_FOUND, CONFLICT, TAKEN; INVALID when it costs more than a live limit admits at once. */
  async createOperation(caller: Caller, input: OperationCreateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(operationCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { name, description, cost, priority } = parsed.data;
    const facts = { description, cost, priority };
    return this.change(caller, parsed.data, async (change, api) => {
      const problems = await this.checkCost(change, api, name, facts.cost);
      if (problems.length > 0) return refuse(problems, api);
      const operation = await this.apis.createOperation(change.tx, { apiId: api.id, name, ...facts });
      return this.finish(change, 'operation.create', api, operation, null, facts);
    });
  }

  /** Changes the given fields. Errors: NOT_FOUND, CONFLICT; INVALID if a live limit would deny every request at the new cost. */
  async updateOperation(caller: Caller, input: OperationUpdateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(operationUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { name } = parsed.data;
    return this.change(caller, parsed.data, async (change, api) => {
      const old = await this.apis.findOperationByName(change.tx, api.id, name);
      if (old === null) return refuse([noOperation(name, api)], api);
      const before = operationFactsOf(old);
      const after = withChanges(before, parsed.data);
      const problems = after.cost > before.cost ? await this.checkCost(change, api, name, after.cost) : [];
      if (problems.length > 0) return refuse(problems, api);
      await this.apis.updateOperation(change.tx, old.id, after);
      return this.finish(change, 'operation.update', api, old, before, after);
    });
  }

  /** Runs `work` on the locked API if it exists, has the expected version and may be changed by the caller. */
  change<T extends ApiRow | null = ApiRow>(
    caller: Caller,
    { apiKey, expectedVersion, reason }: { apiKey: string; expectedVersion: number; reason: string | null },
    work: (change: Change, api: ApiRow) => Promise<T | Refusal<T | ApiRow>>,
  ): Promise<Outcome<T | ApiRow>> {
    const options = { reason, onTaken: taken(['name'], 'This name') };
    return this.changes.run<T | ApiRow>(caller, options, async (change) => {
      const api = await this.apis.lockByKey(change.tx, apiKey);
      if (api === null) return refuse([notFound(['apiKey'], `API "${apiKey}"`)]);
      if (api.version !== expectedVersion) return refuse<T | ApiRow>([conflict('API')], api);
      const managed = findManaged(caller, api, 'API', reason);
      if (managed !== undefined) return refuse<T | ApiRow>([managed], api);
      return work(change, api);
    });
  }

  private async checkCost(change: Change, api: ApiRow, name: string, cost: number): Promise<UserError[]> {
    const limits = await this.apis.listLiveLimits(change.tx, api, [api.key, EVERY_API]);
    return findCostProblems(name, cost, limits);
  }

  private async finish(
    change: Change,
    action: AuditAction,
    api: ApiRow,
    { id, name }: OperationRow,
    before: OperationFacts | null,
    after: OperationFacts | null,
  ): Promise<ApiRow> {
    const named = (facts: OperationFacts | null) => facts && { apiKey: api.key, name, ...facts };
    const recorded = { before: named(before), after: named(after) };
    await change.audit({ action, entityId: id, entityName: name, entityKey: api.key, ...recorded });
    change.publish('CATALOGUE', `api:${api.key}`);
    return this.apis.raiseVersion(change.tx, api.id);
  }
}

const subjectOf = ({ id, name, key }: ApiRow) => ({ entityId: id, entityName: name, entityKey: key });

function factsOf({ name, description, unknownOperations, headerStyles, tags }: ApiRow) {
  return { name, description, unknownOperations, headerStyles, tags };
}

interface OperationFacts {
  description: string;
  cost: number;
  priority: Priority;
}

function operationFactsOf({ description, cost, priority }: Pick<OperationRow, keyof OperationFacts>) {
  return { description, cost: Number(cost), priority };
}

function noOperation(name: string, api: ApiRow): UserError {
  return notFound(['name'], `operation "${name}" in API "${api.key}"`);
}
