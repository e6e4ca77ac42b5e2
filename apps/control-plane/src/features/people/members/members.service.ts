import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type { Caller } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { checkGrant, memberGrant } from '../../../platform/access/grants.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { MemberRole } from '../../../platform/prisma/schema.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import { type MemberRow, MembersRepository } from './invitations.repository.js';
import {
  invitationTargetSchema,
  type MemberRemoveInput,
  type MemberRoleChangeInput,
  memberRoleSchema,
} from './members.graphql.js';

const LAST_OWNER = invalid(['id'], 'This is the last owner. Make another member an owner first.');

/** Changes take effect with the next request. */
@Injectable()
export class MembersService {
  constructor(
    private readonly members: MembersRepository,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
    private readonly access: AccessChanges,
  ) {}

  /** Errors: NOT_FOUND; INVALID for the last owner and for permissions that the caller lacks. */
  async changeRole(caller: Caller, input: MemberRoleChangeInput): Promise<Outcome<MemberRow>> {
    const parsed = parseInput(memberRoleSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { role } = parsed.data;
    return this.change(caller, parsed.data, async (change, tenant, member) => {
      const excess = checkGrant(caller.actor, memberGrant(role, tenant.key), ['role']);
      if (excess !== undefined) return refuse([excess], member);
      if (role !== MemberRole.OWNER && (await this.isLastOwner(change, member)))
        return refuse([LAST_OWNER], member);
      const changed = (await this.members.setRole(change.tx, tenant.id, member.id, role)) ?? member;
      await this.audit(change, tenant, 'member.roleChange', member, { role });
      return changed;
    });
  }

  /** Errors: NOT_FOUND; INVALID for the last owner and for members with more permissions than the caller. */
  async remove(caller: Caller, input: MemberRemoveInput): Promise<Outcome<MemberRow>> {
    const parsed = parseInput(invitationTargetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.change(caller, parsed.data, async (change, tenant, member) => {
      if (await this.isLastOwner(change, member)) return refuse([LAST_OWNER], member);
      await this.members.remove(change.tx, tenant.id, member.id);
      await this.audit(change, tenant, 'member.remove', member, null);
      return member;
    });
  }

  private async isLastOwner(change: Change, { tenantId, role }: MemberRow): Promise<boolean> {
    return role === MemberRole.OWNER && (await this.members.countOwners(change.tx, tenantId)) === 1;
  }

  /** Locks the tenant, so that two owners cannot remove each other concurrently. */
  private async change(
    caller: Caller,
    { tenantKey, id, reason }: { tenantKey: string; id: string; reason: string | null },
    work: (change: Change, tenant: TenantRow, member: MemberRow) => Promise<MemberRow | Refusal<MemberRow>>,
  ): Promise<Outcome<MemberRow>> {
    const outcome = await this.changes.run<MemberRow>(caller, { reason }, async (change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const member = await this.members.findOf(change.tx, tenant.id, id);
      if (member === null) return refuse([notFound(['id'], 'member with this id')]);
      const excess = checkGrant(caller.actor, memberGrant(member.role, tenant.key), ['id']);
      if (excess !== undefined) return refuse([excess], member);
      return work(change, tenant, member);
    });
    if (outcome.ok && outcome.changeId !== null) await this.access.announce();
    return outcome;
  }

  private audit(
    change: Change,
    tenant: TenantRow,
    action: AuditAction,
    { id, email, name, role }: MemberRow,
    after: { role: MemberRole } | null,
  ): Promise<void> {
    const before = { email, name, role };
    return change.audit({
      ...{ action, entityId: id, entityName: email, tenantKey: tenant.key },
      ...{ before, after },
    });
  }
}
