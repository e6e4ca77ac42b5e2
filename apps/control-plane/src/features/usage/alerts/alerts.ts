import { Injectable } from '@nestjs/common';
import {
  Args,
  InputType,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import {
  apiKeySchema,
  limitNameSchema,
  MAX_ALERT_PERCENTS,
  MAX_ALERT_SETTINGS,
  tenantKeySchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  errorsAt,
  invalid,
  notFound,
  type Outcome,
  onlyOf,
  optionalNote,
  parseInput,
  parseInputs,
  payloadOf,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import {
  Input,
  ManagedInput,
  PublishedPayload,
  type UserError,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { ManagedBy } from '../../../platform/prisma/schema.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import { AlertsRepository, type AlertThresholdRow, type AlertThresholdSetting } from './alerts.repository.js';

@ObjectType({
  description:
    'Percentages of its limits at which a tenant is alerted. A setting for a limit takes precedence over one for its API, which takes precedence over one for all APIs. Without settings the thresholds are 80 and 100 percent.',
})
export class AlertThreshold extends ObjectOf({
  id: field.id('Id of the setting.'),
  apiKey: field.string('Key of the API; null: all APIs.').nullable(),
  limitName: field.string('Name of the limit; null: all limits of the API.').nullable(),
  percents: field.int('Percentages in ascending order. 100 always triggers an alert.').list(),
  managedBy: field.of(() => ManagedBy, 'Whether the setting is managed by the configuration file.'),
}) {}

export const alertThresholdSetSchema = z
  .object({
    tenantKey: tenantKeySchema.describe('Key of the tenant.'),
    apiKey: apiKeySchema.nullish().describe('Key of the API; all APIs by default.'),
    limitName: limitNameSchema.nullish().describe('Name of the limit; all limits of the API by default.'),
    percents: z
      .array(z.int().min(1, 'A threshold must be 1 or more').max(100, 'A threshold must be 100 or less'))
      .min(1, 'At least one threshold is required')
      .describe('Percentages from 1 to 100; at most 8 different ones over all settings of the tenant.')
      .transform((percents) => [...new Set(percents)].sort((a, b) => a - b)),
    reason: optionalNote,
  })
  .refine(({ apiKey, limitName }) => limitName == null || apiKey != null, {
    path: ['apiKey'],
    message: '`apiKey` is required with `limitName`',
  });

@InputType({ description: 'Thresholds at which to alert a tenant.' })
export class AlertThresholdSetInput extends InputOf(alertThresholdSetSchema, ManagedInput) {}

export const alertThresholdRemoveSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  id: idField('Id of the setting.'),
  reason: optionalNote,
});

@InputType({ description: 'The setting to remove.' })
export class AlertThresholdRemoveInput extends InputOf(alertThresholdRemoveSchema, ManagedInput) {}

@ObjectType({ description: 'Outcome of a change to alert thresholds.' })
export class AlertThresholdsPayload extends ObjectOf(PublishedPayload, {
  alertThresholds: field
    .of(() => AlertThreshold, 'All settings of the tenant after the change.')
    .list()
    .nullable(),
}) {}

/** Alert thresholds of tenants. */
@Injectable()
export class AlertsService {
  constructor(
    private readonly alerts: AlertsRepository,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** @throws ApiError BAD_USER_INPUT if the tenant does not exist */
  async list(tenantKey: string): Promise<AlertThresholdRow[]> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) throw badInput('Tenant not found');
    return this.alerts.list(tenant.id);
  }

  /**
   * Sets thresholds; replaces an existing setting for the same API and limit. Errors: NOT_FOUND, INVALID,
   * MANAGED_BY_CONFIG.
   */
  async set(caller: Caller, input: AlertThresholdSetInput): Promise<Outcome<AlertThresholdRow[]>> {
    const parsed = parseInput(alertThresholdSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason } = parsed.data;
    return this.changes.run<AlertThresholdRow[]>(caller, { reason }, async (change) =>
      onlyOf(await this.change(change, [parsed.data], (given) => this.put(caller, change, given))),
    );
  }

  /** As `set`, for different tenants. Errors have the index of their input before their field. */
  async setAll(
    caller: Caller,
    inputs: readonly AlertThresholdSetInput[],
  ): Promise<Outcome<AlertThresholdRow[][]>> {
    const parsed = parseInputs(alertThresholdSetSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.run<AlertThresholdRow[][]>(caller, { reason: null }, (change) =>
      this.change(change, parsed.data, (given) => this.put(caller, change, given)),
    );
  }

  /** Removes a setting. Errors: NOT_FOUND, MANAGED_BY_CONFIG. */
  async remove(caller: Caller, input: AlertThresholdRemoveInput): Promise<Outcome<AlertThresholdRow[]>> {
    const parsed = parseInput(alertThresholdRemoveSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason } = parsed.data;
    return this.changes.run<AlertThresholdRow[]>(caller, { reason }, async (change) =>
      onlyOf(await this.change(change, [parsed.data], (given) => this.delete(caller, change, given))),
    );
  }

  /** As `remove`, for different tenants. */
  async removeAll(
    caller: Caller,
    inputs: readonly AlertThresholdRemoveInput[],
  ): Promise<Outcome<AlertThresholdRow[][]>> {
    const parsed = parseInputs(alertThresholdRemoveSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.run<AlertThresholdRow[][]>(caller, { reason: null }, (change) =>
      this.change(change, parsed.data, (given) => this.delete(caller, change, given)),
    );
  }

  private async put(
    caller: Caller,
    { tx }: Change,
    given: readonly Given<z.output<typeof alertThresholdSetSchema>>[],
  ): Promise<UserError[]> {
    const apiKeys = new Set(given.flatMap(({ input }) => input.apiKey ?? []));
    const known = apiKeys.size === 0 ? apiKeys : await this.alerts.listApiKeys(tx, [...apiKeys]);
    const settings = given.map(({ tenant, input }) => ({
      tenantId: tenant.id,
      ...{ apiKey: input.apiKey ?? '', limitName: input.limitName ?? '', percents: input.percents },
    }));
    const errors = given.flatMap(({ input: { apiKey, reason }, rows }, index) => {
      if (apiKey != null && !known.has(apiKey))
        return errorsAt(index, [notFound(['apiKey'], `API "${apiKey}"`)]);
      const setting = settings[index] as AlertThresholdSetting;
      const old = rows.find((row) => row.apiKey === setting.apiKey && row.limitName === setting.limitName);
      const managed = old === undefined ? undefined : findManaged(caller, old, 'threshold', reason);
      if (managed !== undefined) return errorsAt(index, [managed]);
      return errorsAt(index, findExcess([...rows.filter((row) => row !== old), setting]));
    });
    if (errors.length > 0) return errors;
    await this.alerts.put(tx, settings);
    return [];
  }

  private async delete(
    caller: Caller,
    { tx }: Change,
    given: readonly Given<z.output<typeof alertThresholdRemoveSchema>>[],
  ): Promise<UserError[]> {
    const errors = given.flatMap(({ input: { id, reason }, rows }, index) => {
      const old = rows.find((row) => row.id === id);
      if (old === undefined) return errorsAt(index, [notFound(['id'], 'setting with this id')]);
      const managed = findManaged(caller, old, 'threshold', reason);
      return managed === undefined ? [] : errorsAt(index, [managed]);
    });
    if (errors.length > 0) return errors;
    await this.alerts.remove(
      tx,
      given.map(({ tenant, input }) => ({ tenantId: tenant.id, id: input.id })),
    );
    return [];
  }

  /** Changes the settings of locked tenants. @param work returns its errors */
  private async change<I extends { tenantKey: string; reason: string | null }>(
    change: Change,
    inputs: readonly I[],
    work: (given: readonly Given<I>[]) => Promise<UserError[]>,
  ): Promise<AlertThresholdRow[][] | Refusal<AlertThresholdRow[][]>> {
    const { tx } = change;
    const keys = inputs.map(({ tenantKey }) => tenantKey);
    const locked = await this.tenants.lockByKeys(tx, keys);
    const missing = keys.flatMap((key, index) =>
      locked.has(key) ? [] : errorsAt(index, [notFound(['tenantKey'], `tenant "${key}"`)]),
    );
    if (missing.length > 0) return refuse(missing);
    const tenantIds = [...locked.values()].map(({ id }) => id);
    const before = await this.alerts.listOf(tx, tenantIds);
    const given = inputs.map((input) => {
      const tenant = locked.get(input.tenantKey) as TenantRow;
      return { tenant, input, rows: before.get(tenant.id) ?? [] };
    });
    const errors = await work(given);
    if (errors.length > 0) return refuse(errors);
    const after = await this.alerts.listOf(tx, tenantIds);
    const changed = given.map(({ tenant }) => after.get(tenant.id) ?? []);
    for (const [index, { tenant, input, rows }] of given.entries()) {
      await change.within(change.caller, input.reason).audit({
        action: 'alertThresholds.change',
        entityId: tenant.id,
        entityName: tenant.name,
        tenantKey: tenant.key,
        before: factsOf(rows),
        after: factsOf(changed[index] ?? []),
      });
    }
    change.publish('TENANT', keys);
    return changed;
  }
}

/** A locked tenant with its settings before the change. */
interface Given<I> {
  tenant: TenantRow;
  input: I;
  rows: readonly AlertThresholdRow[];
}

function findExcess(rows: readonly Pick<AlertThresholdRow, 'percents'>[]): UserError[] {
  const distinct = new Set(rows.flatMap((row) => row.percents));
  if (distinct.size <= MAX_ALERT_PERCENTS && rows.length <= MAX_ALERT_SETTINGS) return [];
  const message = `At most ${MAX_ALERT_PERCENTS} different thresholds and ${MAX_ALERT_SETTINGS} settings are allowed. Remove one first.`;
  return [invalid(['percents'], message)];
}

function factsOf(rows: readonly AlertThresholdRow[]) {
  return {
    thresholds: rows.map(({ apiKey, limitName, percents }) => ({ apiKey, limitName, percents })),
  };
}

@Resolver(() => AlertThreshold)
export class AlertsResolver {
  constructor(private readonly service: AlertsService) {}

  @RequireTenantPermission('tenants:read', 'tenantKey')
  @Query(() => [AlertThreshold], {
    name: 'alertThresholds',
    description:
      'Alert thresholds of a tenant, those for all APIs first. Empty: 80 and 100 percent of every limit.',
  })
  list(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
  ): Promise<AlertThresholdRow[]> {
    return this.service.list(tenantKey);
  }

  @RequireTenantPermission('alerts:write', 'input.tenantKey')
  @Mutation(() => AlertThresholdsPayload, {
    name: 'alertThresholdSet',
    description: 'Sets the thresholds for all APIs, one API or one limit.',
  })
  async set(@Input() input: AlertThresholdSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('alertThresholds', await this.service.set(caller, input));
  }

  @RequireTenantPermission('alerts:write', 'input.tenantKey')
  @Mutation(() => AlertThresholdsPayload, {
    name: 'alertThresholdRemove',
    description: 'Removes a setting. The next broader setting applies, or 80 and 100 percent.',
  })
  async remove(@Input() input: AlertThresholdRemoveInput, @CurrentCaller() caller: Caller) {
    return payloadOf('alertThresholds', await this.service.remove(caller, input));
  }

  @ResolveField(() => String, { nullable: true })
  apiKey(@Parent() { apiKey }: AlertThresholdRow): string | null {
    return apiKey === '' ? null : apiKey;
  }

  @ResolveField(() => String, { nullable: true })
  limitName(@Parent() { limitName }: AlertThresholdRow): string | null {
    return limitName === '' ? null : limitName;
  }
}
