import { Injectable } from '@nestjs/common';
import { apiKeySchema } from '@tollgate/contracts';
import type { Caller } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  refuse,
  taken,
} from '../../platform/changes/outcome.js';
import { searchTerm } from '../../platform/changes/text.js';
import type { Page } from '../../platform/graphql/paging.js';
import { apiCreateSchema, operationCreateSchema } from './api.rules.js';
import type { ApiCreateInput, OperationCreateInput } from './apis.graphql.js';
import { type ApiRow, ApisRepository, type OperationRow } from './apis.repository.js';

/** APIs and their operations. */
@Injectable()
export class ApisService {
  constructor(
    private readonly apis: ApisRepository,
    private readonly changes: ChangeRunner,
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

  findById(id: string): Promise<ApiRow | null> {
    return this.apis.findById(id);
  }

  findOperation(id: string): Promise<OperationRow | null> {
    return this.apis.findOperation(id);
  }

  listOperations(apiIds: string[]): Promise<Map<string, OperationRow[]>> {
    return this.apis.listOperations(apiIds);
  }

  /** Creates an API without operations. Refused: TAKEN. */
  async create(caller: Caller, input: ApiCreateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(apiCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, ...data } = parsed.data;
    return this.changes.run(caller, { reason, onTaken: taken(['key'], 'This key') }, async (change) => {
      const api = await this.apis.create(change.tx, data);
      await change.audit({
        action: 'api.create',
        entity: 'Api',
        entityId: api.id,
        before: null,
        after: data,
      });
      await change.publish('CATALOGUE', `api:${api.key}`);
      return api;
    });
  }

  /** Adds an operation to an API. Refused: NOT_FOUND, CONFLICT, TAKEN. */
  async createOperation(caller: Caller, input: OperationCreateInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(operationCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, apiKey, expectedVersion, ...data } = parsed.data;
    return this.changes.run<ApiRow>(
      caller,
      { reason, onTaken: taken(['name'], 'This name') },
      async (change) => {
        const api = await this.apis.lockByKey(change.tx, apiKey);
        if (api === null) return refuse([notFound(['apiKey'], `API "${apiKey}"`)]);
        if (api.version !== expectedVersion) return refuse([conflict('API')], api);
        const operation = await this.apis.createOperation(change.tx, { apiId: api.id, ...data });
        const changed = await this.apis.raiseVersion(change.tx, api.id);
        const after = { apiKey, ...data };
        await change.audit({
          action: 'operation.create',
          entity: 'Operation',
          entityId: operation.id,
          before: null,
          after,
        });
        await change.publish('CATALOGUE', `api:${apiKey}`);
        return changed;
      },
    );
  }
}
