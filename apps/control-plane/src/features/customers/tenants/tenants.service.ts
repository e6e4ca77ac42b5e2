import { Injectable } from '@nestjs/common';
import {
  type ChildFloor,
  findFloorProblem,
  type LimitPolicy,
  MAX_FLOORS,
  tenantKeySchema,
  tierKeySchema,
} from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type { Caller } from '../../../platform/access/actor.js';
import { checkGrant, childGrant } from '../../../platform/access/grants.js';
import { badInput } from '../../../platform/api-error.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  conflict,
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  searchTerm,
  taken,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { TenantStatus, TierVersionStatus } from '../../../platform/prisma/schema.js';
import { TiersRepository } from '../../catalogue/index.js';
import { type MoveTarget, SubscriptionsRepository } from './subscriptions.repository.js';
import { readFloors, type TenantSituation, TenantViews } from './tenant-record.repository.js';
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

/** Subscription and effective limits after a dry run, whose transaction is rolled back. */
export interface TenantPreview {
  subscription: SubscriptionRow;
  situation: TenantSituation;
}

/** A tenant after a change; after a dry run with a preview. */
export type ChangedTenant = TenantRow & { preview?: TenantPreview };

/** Content of the preview of a dry run. */
export type Shown = 'tenant' | 'subscription';

export type TenantWork = (change: Change, tenant: TenantRow) => Promise<TenantRow | Refusal<TenantRow>>;

type Work = Parameters<typeof ChangeRunner.prototype.run<ChangedTenant>>[2];

/** Runs changes of one tenant and adds previews to dry runs. */
@Injectable()
export class TenantChanges {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
  ) {}

  run(
    caller: Caller,
    options: Parameters<ChangeRunner['run']>[1],
    work: Work,
    shown: Shown = 'tenant',
  ): Promise<Outcome<ChangedTenant>> {
    if (caller.dryRun !== true || shown === 'tenant') return this.changes.run(caller, options, work);
    return this.changes.run<ChangedTenant>(caller, options, async (change) => {
      const result = await work(change);
      if ('ok' in result) return result;
      const subscription = await this.tenants.findSubscription(change.tx, result.id);
      const situation = await this.views.get(result.id, change.tx);
      return { ...result, preview: { subscription, situation } };
    });
  }

  /**
   * Runs `work` on the locked tenant and publishes its record. Errors: NOT_FOUND, CONFLICT if the tenant has changed since the
   * caller read it.
   */
  runOn(
    caller: Caller,
    input: { tenantKey: string; expectedVersion: number; reason: string | null },
    work: TenantWork,
    shown?: Shown,
  ): Promise<Outcome<ChangedTenant>> {
    const { tenantKey, expectedVersion, reason } = input;
    const locked = async (change: Change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse<TenantRow>([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      if (tenant.version !== expectedVersion) return refuse([conflict('tenant')], tenant);
      const result = await work(change, tenant);
      if (!('ok' in result)) await change.publish('TENANT', tenantKey);
      return result;
    };
    return this.run(caller, { reason }, locked, shown);
  }
}

@Injectable()
export class TenantsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly tiers: TiersRepository,
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
    const { reason, tierKey, parentKey = null, ...data } = parsed.data;
    const onTaken = taken(['key'], 'This key');
    const work = async (change: Change): Promise<TenantRow | Refusal<TenantRow>> => {
      const target = await this.findSoldVersion(change, tierKey, null);
      if ('code' in target) return refuse([target]);
      const wrong =
        parentKey === null ? undefined : await this.findParentProblem(change, parentKey, data.key);
      if (wrong !== undefined) return refuse([wrong]);
      const tenant = await this.tenants.create(change.tx, { ...data, parentKey }, target.tierId);
      await this.subscriptions.warmUp(change.tx, tenant, await this.limitsOf(change.tx, target));
      const parent = parentKey === null ? {} : { parentKey };
      await audit(change, 'tenant.create', tenant, null, { ...data, tierKey, ...parent });
      await change.publish('TENANT', tenant.key);
      return tenant;
    };
    return this.changes.run(caller, { reason, onTaken }, work, 'subscription');
  }

  /** Moves a tenant to another tier, or pins it to a version, immediately. Errors: NOT_FOUND, INVALID, CONFLICT. */
  async changeTier(caller: Caller, input: TenantTierChangeInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantTierChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tierKey, carryOver, pinnedVersion = null } = parsed.data;
    const work: TenantWork = async (change, tenant) => {
      const managed = findManaged(caller, tenant, 'tenant', parsed.data.reason);
      if (managed !== undefined) return refuse([managed], tenant);
      const old = await this.tenants.findSubscription(change.tx, tenant.id);
      const target = await this.findSoldVersion(change, tierKey, pinnedVersion, old.tier.key);
      if ('code' in target) return refuse([target], tenant);
      await this.subscriptions.move(change.tx, tenant, { ...target, carryOver });
      await audit(
        change,
        'tenant.tierChange',
        tenant,
        { tierKey: old.tier.key, pinnedVersion: old.pinnedVersionNumber },
        { tierKey, pinnedVersion, carryOver },
      );
      return this.tenants.raiseVersion(change.tx, tenant.id);
    };
    return this.changes.runOn(caller, parsed.data, work, 'subscription');
  }

  /** Changes the name, time zone, billing day or tags of a tenant. Errors: NOT_FOUND, INVALID, CONFLICT. */
  async update(caller: Caller, input: TenantUpdateInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOn(caller, parsed.data, async (change, tenant) => {
      const managed = findManaged(caller, tenant, 'tenant', parsed.data.reason);
      if (managed !== undefined) return refuse([managed], tenant);
      const before = {
        name: tenant.name,
        timeZone: tenant.timeZone,
        billingAnchorDay: tenant.billingAnchorDay,
        tags: tenant.tags,
      };
      const after = {
        name: parsed.data.name ?? before.name,
        timeZone: parsed.data.timeZone ?? before.timeZone,
        billingAnchorDay: parsed.data.billingAnchorDay ?? before.billingAnchorDay,
        tags: parsed.data.tags ?? before.tags,
      };
      const isOther =
        after.timeZone !== before.timeZone || after.billingAnchorDay !== before.billingAnchorDay;
      if (isOther && !(await this.subscriptions.changeCalendar(change.tx, tenant, after))) {
        const message =
          'The calendar was changed too often: usage under the earlier calendars could not be carried over.';
        const field = after.timeZone === before.timeZone ? 'billingAnchorDay' : 'timeZone';
        return refuse([invalid([field], message)], tenant);
      }
      const changed = await this.tenants.update(change.tx, tenant.id, after);
      await audit(change, 'tenant.update', tenant, before, after);
      return changed;
    });
  }

  /** Sets all floors of a child. Errors: NOT_FOUND, CONFLICT, INVALID if the parent shares no such limit, or too little is left of it. */
  async setFloors(caller: Caller, input: TenantFloorsSetInput): Promise<Outcome<ChangedTenant>> {
    const parsed = parseInput(tenantFloorsSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { floors } = parsed.data;
    return this.changes.runOn(caller, parsed.data, async (change, tenant) => {
      const managed = findManaged(caller, tenant, 'tenant', parsed.data.reason);
      if (managed !== undefined) return refuse([managed], tenant);
      const { parentKey } = tenant;
      if (parentKey === null)
        return refuse([invalid(['tenantKey'], 'Only a tenant with a parent has floors.')], tenant);
      const problems = await this.findFloorProblems(change.tx, tenant, parentKey, floors);
      if (problems.length > 0) return refuse(problems, tenant);
      const changed = await this.tenants.setFloors(change.tx, tenant.id, floors);
      await audit(change, 'tenant.floorsSet', tenant, { floors: readFloors(tenant.floors) }, { floors });
      await change.publish('TENANT', parentKey);
      return changed;
    });
  }

  /** Suspends or resumes a tenant. Errors: NOT_FOUND, CONFLICT, INVALID if it already has that status. */
  async setStatus(
    caller: Caller,
    input: TenantStatusInput,
    status: TenantStatus,
  ): Promise<Outcome<TenantRow>> {
    const parsed = parseInput(tenantStatusSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.runOn(caller, parsed.data, async (change, tenant) => {
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
    return this.changes.runOn(caller, parsed.data, async (change, tenant) => {
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
      if (tenant.parentKey !== null) await change.publish('TENANT', tenant.parentKey);
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

  private async findFloorProblems(
    tx: Tx,
    tenant: TenantRow,
    parentKey: string,
    floors: readonly ChildFloor[],
  ): Promise<UserError[]> {
    // Other children of the parent wait.
    const parent = await this.tenants.lockByKey(tx, parentKey);
    if (parent === null) return [notFound(['tenantKey'], `tenant "${parentKey}"`)];
    const siblings = await this.tenants.listFloors(tx, parentKey, tenant.id);
    if (siblings.length + floors.length > MAX_FLOORS)
      return [
        invalid(['floors'], `The children of a tenant have ${MAX_FLOORS} floors at most, all together.`),
      ];
    const { view } = await this.views.get(parent.id, tx);
    return floors.flatMap(({ api, limit, units }, index) => {
      const policy = view.limits.find((one) => one.policy.api === api && one.policy.name === limit)?.policy;
      const at = (field: string, message: string) => [invalid(['floors', String(index), field], message)];
      if (policy === undefined)
        return [
          notFound(['floors', String(index), 'limit'], `limit "${limit}" on API "${api}" of the parent`),
        ];
      const problem = findFloorProblem(policy);
      if (problem !== undefined) return at('limit', problem);
      const others = siblings
        .filter((one) => one.api === api && one.limit === limit)
        .reduce((sum, one) => sum + one.units, 0);
      if (others + units <= policy.limit) return [];
      const left = Math.max(0, policy.limit - others);
      return at(
        'units',
        `Of the ${policy.limit} units of ${limit}, other children have ${others}. Enter ${left} at most.`,
      );
    });
  }

  /**
   * Locks the parent, so that it is not archived meanwhile. A hierarchy has one level. A child uses up limits of its
   * parent, so the caller needs the permission to change what the parent has.
   */
  private async findParentProblem(
    { tx, caller }: Change,
    parentKey: string,
    key: string,
  ): Promise<UserError | undefined> {
    const lacking = checkGrant(caller.actor, childGrant(parentKey), ['parentKey']);
    if (lacking !== undefined) return lacking;
    if (parentKey === key) return invalid(['parentKey'], 'A tenant cannot be its own parent.');
    const parent = await this.tenants.lockByKey(tx, parentKey);
    if (parent === null) return notFound(['parentKey'], `tenant "${parentKey}"`);
    if (parent.parentKey === null) return undefined;
    const message = `Tenant "${parentKey}" is a child of "${parent.parentKey}", and a child has no children. Choose a tenant without a parent.`;
    return invalid(['parentKey'], message);
  }

  private async limitsOf(tx: Tx, { tierId, version }: MoveTarget): Promise<LimitPolicy[]> {
    const row = await this.tiers.findVersion(tierId, version, tx);
    const limits = row === null ? [] : ((await this.tiers.listLimits([row.id], tx)).get(row.id) ?? []);
    return limits.map(({ policy }) => policy);
  }

  /**
   * A version that tenants can use: the tier has a published version and is not archived.
   * @param presentTierKey the current tier of the tenant, allowed even if archived
   */
  private async findSoldVersion(
    change: Change,
    tierKey: string,
    pinnedVersion: number | null,
    presentTierKey?: string,
  ): Promise<MoveTarget | UserError> {
    const tier = await this.tiers.findByKey(tierKey, change.tx);
    if (tier === null) return notFound(['tierKey'], `tier "${tierKey}"`);
    if (tier.archivedAt !== null && tierKey !== presentTierKey) {
      return invalid(['tierKey'], 'This tier is archived and accepts no new tenants. Choose another tier.');
    }
    const published = await this.tiers.findByStatus(change.tx, tier.id, TierVersionStatus.PUBLISHED);
    if (published === null) {
      return invalid(['tierKey'], 'This tier has no published version yet.');
    }
    if (pinnedVersion === null) return { tierId: tier.id, version: published.number, isPinned: false };
    const version = await this.tiers.findVersion(tier.id, pinnedVersion, change.tx);
    if (version === null || version.status === TierVersionStatus.DRAFT) {
      return notFound(['pinnedVersion'], `published version ${pinnedVersion} of tier "${tierKey}"`);
    }
    return { tierId: tier.id, version: version.number, isPinned: true };
  }
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
