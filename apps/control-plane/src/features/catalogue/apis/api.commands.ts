import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { RecordedEntry } from '../../../platform/changes/audit-trail.js';
import type { Change } from '../../../platform/changes/change.js';
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import type {
  ApiUpdateInput,
  OperationCreateInput,
  OperationUpdateInput,
  PoolCreateInput,
  PoolDeleteInput,
  PoolUpdateInput,
} from './api.inputs.js';
import { ApisRepository } from './apis.repository.js';
import { ApisService } from './apis.service.js';
import { PoolsService } from './pools.service.js';

const PERMISSION = 'apis:write';

/** Commands of change sets on APIs, operations and pools. */
@Injectable()
export class ApiCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: ApisService,
    private readonly pools: PoolsService,
    private readonly apis: ApisRepository,
  ) {}

  onModuleInit(): void {
    this.registerApi();
    this.registerOperations();
    this.registerPools();
  }

  private registerApi(): void {
    this.commands.register<ApiUpdateInput>({
      name: 'apiUpdate',
      action: 'api.update',
      inputOf: async ({ entityId }) => {
        const api = await this.apis.findById(entityId);
        return api === null ? null : { apiKey: api.key };
      },
      inputType: 'ApiUpdateInput',
      permission: PERMISSION,
      run: async (caller, change, input) => this.service.update(caller, await this.current(change, input)),
      revert: ({ apiKey }, [done]) => [{ command: 'apiUpdate', input: { apiKey, ...done?.before } }],
    });
  }

  private registerOperations(): void {
    this.commands.register<OperationCreateInput>({
      name: 'operationCreate',
      action: 'operation.create',
      inputOf: namedIn,
      inputType: 'OperationCreateInput',
      permission: PERMISSION,
      run: async (caller, change, input) =>
        this.service.createOperation(caller, await this.current(change, input)),
      revert: ({ apiKey, name }) => [{ command: 'operationDelete', input: { apiKey, name } }],
    });
    this.commands.register<OperationUpdateInput>({
      name: 'operationUpdate',
      action: 'operation.update',
      inputOf: namedIn,
      inputType: 'OperationUpdateInput',
      permission: PERMISSION,
      run: async (caller, change, input) =>
        this.service.updateOperation(caller, await this.current(change, input)),
      revert: (_, [done]) => [{ command: 'operationUpdate', input: { ...done?.before } }],
    });
    this.commands.register<OperationUpdateInput>({
      name: 'operationDelete',
      action: 'operation.delete',
      inputOf: namedIn,
      inputType: 'OperationDeleteInput',
      permission: PERMISSION,
      run: async (caller, change, input) =>
        this.service.deleteOperation(caller, await this.current(change, input)),
      revert: (_, [done]) => [{ command: 'operationCreate', input: { ...done?.before } }],
    });
  }

  private registerPools(): void {
    this.commands.register<PoolCreateInput>({
      name: 'poolCreate',
      action: 'pool.create',
      inputOf: namedIn,
      inputType: 'PoolCreateInput',
      permission: PERMISSION,
      run: async (caller, change, input) => this.pools.create(caller, await this.current(change, input)),
      revert: ({ apiKey, name }) => [{ command: 'poolDelete', input: { apiKey, name } }],
    });
    this.commands.register<PoolUpdateInput>({
      name: 'poolUpdate',
      action: 'pool.update',
      inputOf: namedIn,
      inputType: 'PoolUpdateInput',
      permission: PERMISSION,
      run: async (caller, change, input) => this.pools.update(caller, await this.current(change, input)),
      revert: (_, [done]) => [{ command: 'poolUpdate', input: { ...done?.before } }],
    });
    this.commands.register<PoolDeleteInput>({
      name: 'poolDelete',
      action: 'pool.delete',
      inputOf: namedIn,
      inputType: 'PoolDeleteInput',
      permission: PERMISSION,
      run: async (caller, change, input) => this.pools.delete(caller, await this.current(change, input)),
      revert: (_, [done]) => [{ command: 'poolCreate', input: { ...done?.before } }],
    });
  }

  /** Adds the API's version in this transaction to the input. */
  private async current<I extends { apiKey: string }>(
    change: Change,
    input: I,
  ): Promise<I & { expectedVersion: number }> {
    const api = await this.apis.lockByKey(change.tx, input.apiKey);
    return { ...input, expectedVersion: api?.version ?? 0 };
  }
}

/** The audit entries of operations and pools contain their API key and name. */
async function namedIn({ before, after }: RecordedEntry): Promise<{ apiKey: string; name: string }> {
  const { apiKey, name } = { ...before, ...after } as { apiKey: string; name: string };
  return { apiKey, name };
}
