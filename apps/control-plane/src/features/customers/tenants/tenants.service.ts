import { Injectable } from '@nestjs/common';
import { type ChildFloor, tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { checkGrant, childGrant } from '../../../platform/access/grants.js';
import { badInput } from '../../../platform/api-error.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { type Change, findManaged } from '../../../platform/changes/change.js';
import {
  errorsAt,
  invalid,
  notFound,
  type Outcome,
  onlyOf,
  parseInput,
  parseInputs,
  type Refusal,
  refuse,
  searchTerm,
  taken,
  userError,
  withChanges,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { TenantStatus } from '../../../platform/prisma/schema.js';
import { findFloorProblems } from './floor.rules.js';
import { SoldVersions } from './sold-versions.js';
import { isSameCalendar } from './subscription-state.js';
import { type MoveTarget, SubscriptionsRepository } from './subscriptions.repository.js';
import { type ChangedTenant, type TenantChange, TenantChanges } from './tenant-changes.js';
import { readFloors, TenantViews } from './tenant-record.repository.js';
import {
  type TenantCreateInput,
  type TenantFloorsSetInput,
  type TenantStatusInput,
  type TenantsArgs,
  type TenantTierChangeInput,
  type TenantUpdateInput,
  tenantCreateSchema,
  tenantFloorsSetSchema,
  tenantStatusSchema,
  tenantTierChangeSchema,
  tenantUpdateSchema,
} from './tenants.graphql.js';
import {
  type MemberRow,
  type SubscriptionRow,
  type TenantFacts,
  type TenantFilter,
  type TenantRow,
  TenantsRepository,
} from './tenants.repository.js';

/** Something that prevents archiving a tenant. */
export interface ArchiveGuard {
  /** Name of the open objects, such as `open purchases`. */
  what: string;
  count(tx: Tx, tenantId: string): Promise<number>;
}

/** The archive guards. Features that depend on tenants register theirs, so that tenants need not know those features. */
@Injectable()
export class ArchiveGuards {
  private readonly guards: ArchiveGuard[] = [];

  register(guard: ArchiveGuard): void {
    this.guards.push(guard);
  }

  /** Counts of open objects, such as `2 open purchases`. */
  async list(tx: Tx, tenantId: string): Promise<string[]> {
    const open: string[] = [];
    for (const { what, count } of this.guards) {
      const number = await count(tx, tenantId);
      if (number > 0) open.push(`${number} ${what}`);
    }
    return open;
  }
}

@Injectable()
export class TenantsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly sold: SoldVersions,
    private readonly guards: ArchiveGuards,
    private readonly changes: TenantChanges,
    private readonly clock: Clock,
    private readonly views: TenantViews,
  ) {}

  /** @throws ApiError BAD_USER_INPUT if `tier` or `parent` is malformed */
  parseFilter(args: TenantsArgs, visible: TenantFilter['visible']): TenantFilter {
    const tierKey = args.tier ?? undefined;
    if (tierKey !== undefined && !tierKeySchema.safeParse(tierKey).success)
      throw badInput('tier is not a tier key');
    const parentKey = args.parent ?? undefined;
    if (parentKey !== undefined && !tenantKeySchema.safeParse(parentKey).success)
      throw badInput('parent is not a tenant key');
    return { search: searchTerm(args.search), tierKey, status: args.status ?? undefined, parentKey, visible };
  }

  async findByKey(key: string): Promise<TenantRow | null> {
    return tenantKeySchema.safeParse(key).success ? this.tenants.findByKey(key) : null;
  }

  /** Creates a tenant on the published version of a tier, and below a parent if one is named. Errors: NOT_FOUND, INVALID, TAKEN. */
  async create(caller: Caller, input: TenantCreateInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const options = { reason: parsed.data.reason, onTaken: taken(['key'], 'This key') };
    return this.changes.run(
      caller,
      options,
      async (change) => onlyOf(await this.add(change, [parsed.data])),
      'subscription',
    );
  }

  /** As `create`, for many. A parent may be among them. Errors have the index of their input before their field. */
  async createAll(caller: Caller, inputs: readonly TenantCreateInput[]): Promise<Outcome<TenantRow[]>> {
    const parsed = parseInputs(tenantCreateSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    const message = 'A tenant with one of these keys was created in the meantime. Try again.';
    const onTaken = userError(UserErrorCode.TAKEN, null, message);
    return this.changes.runAll(caller, { reason: null, onTaken }, (change) => this.add(change, parsed.data));
  }

  /** Moves a tenant to another tier, or pins it to a version, immediately. Errors: NOT_FOUND, INVALID, CONFLICT. */
  async changeTier(caller: Caller, input: TenantTierChangeInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantTierChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOn(
      caller,
      parsed.data,
      (change, moves) => this.move(caller, change, moves),
      'subscription',
    );
  }

  /** As `changeTier`, for different tenants. */
  async changeTiers(caller: Caller, inputs: readonly TenantTierChangeInput[]): Promise<Outcome<TenantRow[]>> {
    const parsed = parseInputs(tenantTierChangeSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOnAll(caller, parsed.data, (change, moves) => this.move(caller, change, moves));
  }

  /** Changes the name, time zone, billing day or tags of a tenant. Errors: NOT_FOUND, INVALID, CONFLICT. */
  async update(caller: Caller, input: TenantUpdateInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOn(caller, parsed.data, (change, given) => this.change(caller, change, given));
  }

  /** As `update`, for different tenants. */
  async updateAll(caller: Caller, inputs: readonly TenantUpdateInput[]): Promise<Outcome<TenantRow[]>> {
    const parsed = parseInputs(tenantUpdateSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOnAll(caller, parsed.data, (change, given) => this.change(caller, change, given));
  }

  /** Sets all floors of a child. Errors: NOT_FOUND, CONFLICT, INVALID if the parent shares no such limit, or too little is left of it. */
  async setFloors(caller: Caller, input: TenantFloorsSetInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantFloorsSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOn(caller, parsed.data, (change, given) =>
      this.replaceFloors(caller, change, given),
    );
  }

  /** As `setFloors`, for different tenants. */
  async setAllFloors(caller: Caller, inputs: readonly TenantFloorsSetInput[]): Promise<Outcome<TenantRow[]>> {
    const parsed = parseInputs(tenantFloorsSetSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOnAll(caller, parsed.data, (change, given) =>
      this.replaceFloors(caller, change, given),
    );
  }

  /** Suspends or resumes a tenant. Errors: NOT_FOUND, CONFLICT, INVALID if it already has that status. */
  async setStatus(
    caller: Caller,
    input: TenantStatusInput,
    status: TenantStatus,
  ): Promise<Outcome<TenantRow>> {
    const parsed = parseInput(tenantStatusSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOnOne(caller, parsed.data, async (change, tenant) => {
      if (tenant.status === status) {
        return refuse([invalid(['tenantKey'], `The tenant is already ${status.toLowerCase()}.`)], tenant);
      }
      const changed = await this.tenants.setStatus(change.tx, tenant.id, status);
      await audit(
        change,
        status === TenantStatus.SUSPENDED ? 'tenant.suspend' : 'tenant.resume',
        tenant,
        { status: tenant.status },
        { status },
      );
      return changed;
    });
  }

  /** Archives a tenant for good: nodes drop it, its API keys stop working and its key is never reused. Errors: NOT_FOUND, CONFLICT, IN_USE while it has children, or while something is open, unless forced. */
  async archive(caller: Caller, input: TenantStatusInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantStatusSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOnOne(caller, parsed.data, async (change, tenant) => {
      const managed = findManaged(caller, tenant, 'tenant', parsed.data.reason);
      if (managed !== undefined) return refuse([managed], tenant);
      const children = await this.tenants.countChildren(change.tx, tenant.key);
      if (children > 0) {
        const message = `The tenant has ${children} child ${children === 1 ? 'tenant' : 'tenants'}. Archive them first.`;
        return refuse([userError(UserErrorCode.IN_USE, ['tenantKey'], message)], tenant);
      }
      const open = await this.guards.list(change.tx, tenant.id);
      if (open.length > 0 && caller.force !== true) {
        const message = `The tenant has ${open.join(' and ')}. Close them first, or repeat this with force.`;
        return refuse([userError(UserErrorCode.IN_USE, ['tenantKey'], message)], tenant);
      }
      const archived = await this.tenants.archive(change.tx, tenant.id, this.clock.now());
      if (tenant.parentKey !== null) change.publish('TENANT', tenant.parentKey);
      await audit(
        change,
        'tenant.archive',
        tenant,
        { status: tenant.status },
        { status: archived.status, open },
      );
      return archived;
    });
  }

  /** Adds a person to a tenant. Errors: NOT_FOUND, TAKEN. */
  addMember(
    caller: Caller,
    tenantKey: string,
    member: Pick<MemberRow, 'email' | 'name' | 'role'> & { userId?: string | null },
  ): Promise<Outcome<TenantRow>> {
    const onTaken = taken(['email'], 'This address');
    return this.changes.run(caller, { reason: null, onTaken }, async (change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const { id } = await this.tenants.addMember(change.tx, tenant.id, member);
      await change.audit({
        action: 'member.add',
        entityId: id,
        entityName: member.email,
        tenantKey,
        before: null,
        after: { ...member },
      });
      return tenant;
    });
  }

  private async add(
    change: Change,
    inputs: readonly z.output<typeof tenantCreateSchema>[],
  ): Promise<TenantRow[] | Refusal<TenantRow[]>> {
    const { tx } = change;
    const targets = await this.sold.find(tx, inputs);
    const problems = await this.findParentProblems(change, inputs);
    const errors = inputs.flatMap((_, index) => {
      const target = targets[index] as MoveTarget | UserError;
      const found = 'code' in target ? target : problems[index];
      return found === undefined ? [] : errorsAt(index, [found]);
    });
    if (errors.length > 0) return refuse(errors);
    const sold = targets as MoveTarget[];
    const rows = await this.tenants.create(
      tx,
      inputs.map(({ reason: _, tierKey: __, ...data }) => ({ ...data, parentKey: data.parentKey ?? null })),
    );
    const limits = await this.sold.limitsOf(tx, sold);
    const subscriptions = rows.map((tenant, index) => {
      const { tierId } = sold[index] as MoveTarget;
      return { tenant, tierId, limits: limits.get(tierId) ?? [] };
    });
    await this.subscriptions.create(tx, subscriptions);
    for (const [index, { reason, parentKey, ...data }] of inputs.entries()) {
      const own = change.within(change.caller, reason);
      const parent = parentKey == null ? {} : { parentKey };
      await audit(own, 'tenant.create', rows[index] as TenantRow, null, { ...data, ...parent });
    }
    change.publish(
      'TENANT',
      rows.map(({ key }) => key),
    );
    return rows;
  }

  private async move(
    caller: Caller,
    change: Change,
    moves: readonly TenantChange<z.output<typeof tenantTierChangeSchema>>[],
  ): Promise<TenantRow[] | Refusal<TenantRow[]>> {
    const { tx } = change;
    const tenants = moves.map(({ tenant }) => tenant);
    const managed = findManagedTenants(caller, moves);
    if (managed.length > 0) return refuse(managed, tenants);
    const olds = await this.tenants.listSubscriptions(
      tenants.map(({ id }) => id),
      tx,
    );
    const oldOf = ({ id }: TenantRow) => olds.get(id) as SubscriptionRow;
    const targets = await this.sold.find(
      tx,
      moves.map(({ tenant, input }) => ({ ...input, presentTierKey: oldOf(tenant).tier.key })),
    );
    const errors = targets.flatMap((target, index) => ('code' in target ? errorsAt(index, [target]) : []));
    if (errors.length > 0) return refuse(errors, tenants);
    await this.subscriptions.move(
      tx,
      moves.map(({ tenant, input: { carryOver } }, index) => ({
        ...{ tenant, carryOver, target: targets[index] as MoveTarget },
      })),
    );
    for (const { change: own, tenant, input } of moves) {
      const { tierKey, pinnedVersion = null, carryOver } = input;
      const old = oldOf(tenant);
      const before = { tierKey: old.tier.key, pinnedVersion: old.pinnedVersionNumber };
      await audit(own, 'tenant.tierChange', tenant, before, { tierKey, pinnedVersion, carryOver });
    }
    return this.tenants.raiseVersions(tx, tenants);
  }

  private async change(
    caller: Caller,
    change: Change,
    given: readonly TenantChange<z.output<typeof tenantUpdateSchema>>[],
  ): Promise<TenantRow[] | Refusal<TenantRow[]>> {
    const { tx } = change;
    const tenants = given.map(({ tenant }) => tenant);
    const managed = findManagedTenants(caller, given);
    if (managed.length > 0) return refuse(managed, tenants);
    const changes = given.map(({ change: own, tenant, input }) => {
      const { name, timeZone, billingAnchorDay, tags } = tenant;
      const before = { name, timeZone, billingAnchorDay, tags };
      return { change: own, tenant, before, facts: withChanges(before, input) };
    });
    const errors = await this.changeCalendars(tx, changes);
    if (errors.length > 0) return refuse(errors, tenants);
    const changed = await this.tenants.update(tx, changes);
    for (const { change: own, tenant, before, facts } of changes)
      await audit(own, 'tenant.update', tenant, before, facts);
    return changed;
  }

  private async changeCalendars(
    tx: Tx,
    changes: readonly { tenant: TenantRow; facts: TenantFacts }[],
  ): Promise<UserError[]> {
    const moved = changes.filter(({ tenant, facts }) => !isSameCalendar(tenant, facts));
    if (moved.length === 0) return [];
    const kept = await this.subscriptions.changeCalendars(
      tx,
      moved.map(({ tenant, facts }) => ({ tenant, next: facts })),
    );
    return changes.flatMap(({ tenant, facts }, index) => {
      if (!kept.has(tenant.id)) return [];
      const message =
        'The calendar was changed too often: usage under the earlier calendars could not be carried over.';
      const field = facts.timeZone === tenant.timeZone ? 'billingAnchorDay' : 'timeZone';
      return errorsAt(index, [invalid([field], message)]);
    });
  }

  private async replaceFloors(
    caller: Caller,
    change: Change,
    given: readonly TenantChange<z.output<typeof tenantFloorsSetSchema>>[],
  ): Promise<TenantRow[] | Refusal<TenantRow[]>> {
    const { tx } = change;
    const tenants = given.map(({ tenant }) => tenant);
    const managed = findManagedTenants(caller, given);
    if (managed.length > 0) return refuse(managed, tenants);
    const errors = await this.findFloorProblems(tx, given);
    if (errors.length > 0) return refuse(errors, tenants);
    const changed = await this.tenants.setFloors(
      tx,
      given.map(({ tenant, input: { floors } }) => ({ tenant, floors })),
    );
    for (const { change: own, tenant, input } of given) {
      const { floors } = input;
      await audit(own, 'tenant.floorsSet', tenant, { floors: readFloors(tenant.floors) }, { floors });
    }
    change.publish(
      'TENANT',
      tenants.flatMap(({ parentKey }) => parentKey ?? []),
    );
    return changed;
  }

  private async findFloorProblems(
    tx: Tx,
    given: readonly TenantChange<{ floors: readonly ChildFloor[] }>[],
  ): Promise<UserError[]> {
    const parentKeys = [...new Set(given.flatMap(({ tenant }) => tenant.parentKey ?? []))];
    // Other children of the parents wait.
    const parents = await this.tenants.lockByKeys(tx, parentKeys);
    const family = await this.tenants.listFloors(tx, parentKeys);
    for (const { tenant, input } of given)
      family.set(tenant.key, { parentKey: tenant.parentKey, floors: [...input.floors] });
    const views = await this.views.list(
      [...parents.values()].map(({ id }) => id),
      tx,
    );
    return given.flatMap(({ tenant, input: { floors } }, index) => {
      if (tenant.parentKey === null)
        return errorsAt(index, [invalid(['tenantKey'], 'Only a tenant with a parent has floors.')]);
      const parent = parents.get(tenant.parentKey);
      const view = parent === undefined ? undefined : views.get(parent.id)?.view;
      if (view === undefined)
        return errorsAt(index, [notFound(['tenantKey'], `tenant "${tenant.parentKey}"`)]);
      const siblings = [...family].flatMap(([key, one]) =>
        key === tenant.key || one.parentKey !== tenant.parentKey ? [] : one.floors,
      );
      return errorsAt(index, findFloorProblems(view, siblings, floors));
    });
  }

  /**
   * Locks the parents, so that they are not archived meanwhile. A hierarchy has one level. A child uses up limits of its
   * parent, so the caller needs the permission to change what the parent has.
   * @returns the problem of each input, in their order
   */
  private async findParentProblems(
    { tx, caller }: Change,
    inputs: readonly { key: string; parentKey?: string | null | undefined }[],
  ): Promise<(UserError | undefined)[]> {
    const parentKeys = [...new Set(inputs.flatMap(({ parentKey }) => parentKey ?? []))];
    const parents = new Map<string, { parentKey?: string | null | undefined }>([
      ...(await this.tenants.lockByKeys(tx, parentKeys)),
      ...inputs.map((input) => [input.key, input] as const),
    ]);
    return inputs.map(({ key, parentKey }) => {
      if (parentKey == null) return undefined;
      const lacking = checkGrant(caller.actor, childGrant(parentKey), ['parentKey']);
      if (lacking !== undefined) return lacking;
      if (parentKey === key) return invalid(['parentKey'], 'A tenant cannot be its own parent.');
      const parent = parents.get(parentKey);
      if (parent === undefined) return notFound(['parentKey'], `tenant "${parentKey}"`);
      if (parent.parentKey == null) return undefined;
      const message = `Tenant "${parentKey}" is a child of "${parent.parentKey}", and a child has no children. Choose a tenant without a parent.`;
      return invalid(['parentKey'], message);
    });
  }
}

function findManagedTenants(
  caller: Caller,
  changes: readonly TenantChange<{ reason: string | null }>[],
): UserError[] {
  return changes.flatMap(({ tenant, input }, index) => {
    const managed = findManaged(caller, tenant, 'tenant', input.reason);
    return managed === undefined ? [] : errorsAt(index, [managed]);
  });
}

function audit(
  change: Change,
  action: AuditAction,
  { id, key, name }: TenantRow,
  before: AuditFacts['before'],
  after: AuditFacts['after'],
): Promise<void> {
  return change.audit({ action, entityId: id, entityName: name, tenantKey: key, before, after });
}
