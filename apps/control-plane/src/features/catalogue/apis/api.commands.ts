import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import { PolicyCommands } from '../../../platform/changes/policy-commands.js';
import type { ApiUpdateInput } from './apis.graphql.js';
import { type ApiRow, ApisRepository } from './apis.repository.js';
import { ApisService } from './apis.service.js';
import { PoolsService } from './pools.service.js';

const PERMISSION = 'apis:write';

/** The fields that name an operation or pool, as its audit entries contain them. */
interface PartInput {
  apiKey: string;
  name: string;
  expectedVersion: number;
}

type PartMutation = (caller: Caller, input: never) => Promise<Outcome<ApiRow>>;

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
    const { service, pools } = this;
    this.commands.register<ApiUpdateInput>({
      name: 'apiUpdate',
      action: 'api.update',
      inputOf: async ({ entityId }) => {
        const api = await this.apis.findById(entityId);
        return api === null ? null : { apiKey: api.key };
      },
      inputType: 'ApiUpdateInput',
      permission: PERMISSION,
      run: async (caller, change, input) => service.update(caller, await this.current(change, input)),
      revert: ({ apiKey }, [done]) => [{ command: 'apiUpdate', input: { apiKey, ...done?.before } }],
    });
    this.registerPart('operation', 'Create', (caller, input) => service.createOperation(caller, input));
    this.registerPart('operation', 'Update', (caller, input) => service.updateOperation(caller, input));
    this.registerPart('operation', 'Delete', (caller, input) => service.deleteOperation(caller, input));
    this.registerPart('pool', 'Create', (caller, input) => pools.create(caller, input));
    this.registerPart('pool', 'Update', (caller, input) => pools.update(caller, input));
    this.registerPart('pool', 'Delete', (caller, input) => pools.delete(caller, input));
  }

  /** Registers a mutation of an operation or pool. Creation and deletion revert each other. */
  private registerPart(part: 'operation' | 'pool', verb: keyof typeof INVERSE, mutate: PartMutation): void {
    const type = part === 'pool' ? 'Pool' : 'Operation';
    this.commands.register<PartInput>({
      name: `${part}${verb}`,
      action: `${part}.${verb.toLowerCase()}`,
      inputOf: async ({ before, after }) => partNamedIn({ ...before, ...after }),
      inputType: `${type}${verb}Input`,
      permission: PERMISSION,
      run: async (caller, change, input) => mutate(caller, (await this.current(change, input)) as never),
      revert: (input, [done]) => [
        {
          command: `${part}${INVERSE[verb]}`,
          input: verb === 'Create' ? partNamedIn(input) : { ...done?.before },
        },
      ],
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

const INVERSE = { Create: 'Delete', Update: 'Update', Delete: 'Create' } as const;

function partNamedIn(facts: object): { apiKey: string; name: string } {
  const { apiKey, name } = facts as PartInput;
  return { apiKey, name };
}
