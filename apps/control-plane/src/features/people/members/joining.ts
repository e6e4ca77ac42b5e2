import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Change } from '../../../platform/changes/change.js';
import { type Refusal, refuse, userError } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { TenantsRepository, TenantsService } from '../../customers/index.js';
import { UsersRepository } from '../../identity/index.js';
import type { InvitationRow } from './invitations.repository.js';
import { MembersRepository } from './members.repository.js';
import { UNUSABLE } from './open-invitations.js';
import type { Person } from './visitor.js';

/** What an invitation has led to. */
export interface Accepted {
  email: string;
  /** Null: an operator now. */
  tenantKey: string | null;
}

/** Puts people where their invitation says: among operators, into a tenant, or into one that is made for them. */
@Injectable()
export class Joining {
  constructor(
    private readonly members: MembersRepository,
    private readonly users: UsersRepository,
    private readonly tenants: TenantsRepository,
    private readonly creation: TenantsService,
    private readonly config: AppConfig,
  ) {}

  /** Refused: INVALID where the place is not there any more, or cannot be made. */
  async join(
    change: Change,
    invitation: InvitationRow,
    person: Person,
  ): Promise<Accepted | Refusal<Accepted>> {
    const { email, operatorRole, signUpKey, signUpName } = invitation;
    // Became an operator in the meantime: that role is not replaced by an older invitation's.
    if (operatorRole !== null && (await this.users.findByEmail(email, change.tx))?.role != null)
      return refuse([UNUSABLE]);
    const userId = person.id ?? (await this.createUser(change, person));
    if (operatorRole !== null) {
      await this.users.setRole(change.tx, userId, operatorRole);
      await this.audit(change, 'operator.join', userId, null, { email, role: operatorRole });
      return { email, tenantKey: null };
    }
    let { tenantId } = invitation;
    if (signUpKey !== null) {
      const tierKey = this.config.signUpTier ?? '';
      const made = await this.creation.create(change.caller, {
        key: signUpKey,
        name: signUpName ?? signUpKey,
        tierKey,
      });
      if (!made.ok) {
        const isTaken = made.errors.some(({ code }) => code === UserErrorCode.TAKEN);
        const message = isTaken
          ? `The key "${signUpKey}" is in use. Sign up again with another key.`
          : (made.errors[0]?.message ?? UNUSABLE.message);
        return refuse([userError(UserErrorCode.INVALID, ['token'], message)]);
      }
      tenantId = made.value.id;
    }
    const tenant = await this.tenants.findById(tenantId ?? '', change.tx);
    if (tenant === null || tenant.status === 'ARCHIVED') return refuse([UNUSABLE]);
    const role = invitation.role ?? 'OWNER';
    const member = await this.members.join(change.tx, tenant.id, { email, name: person.name, role, userId });
    await this.audit(change, 'member.join', member.id, tenant.key, { email, name: person.name, role });
    await change.notify({ kind: 'member.joined', tenant, data: { email, role } });
    return { email, tenantKey: tenant.key };
  }

  private async createUser(change: Change, { email, name, passwordHash = '' }: Person): Promise<string> {
    return (await this.users.create({ email, name, role: null, passwordHash }, change.tx)).id;
  }

  private audit(
    change: Change,
    action: string,
    entityId: string,
    tenantKey: string | null,
    after: Record<string, string>,
  ): Promise<void> {
    const entity = tenantKey === null ? 'User' : 'Member';
    return change.audit({
      action,
      entity,
      entityId,
      ...(tenantKey === null ? {} : { tenantKey }),
      before: null,
      after,
    });
  }
}
