import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  Anonymous,
  CurrentCaller,
  RequirePermission,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import {
  type Connection,
  cursorCodec,
  idOf,
  PageArgs,
  readPage,
} from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { TenantsRepository } from '../../customers/index.js';
import { AcceptService, SignUpService } from './accept.service.js';
import { type InvitationRow, InvitationsRepository } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import {
  Invitation,
  InvitationAcceptInput,
  InvitationAcceptPayload,
  InvitationConnection,
  InvitationPayload,
  InvitationTargetInput,
  InvitationView,
  MemberInviteInput,
  MemberPayload,
  MemberRemoveInput,
  MemberRoleChangeInput,
  OperatorInvitationTargetInput,
  OperatorInviteInput,
  TenantSignUpInput,
  TenantSignUpPayload,
} from './members.graphql.js';
import { MembersService } from './members.service.js';
import { CurrentVisitor, type Visitor } from './visitor.js';

@Resolver()
export class MembersResolver {
  constructor(private readonly service: MembersService) {}

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => MemberPayload, {
    name: 'memberRoleChange',
    description:
      'Changes the role of a member, effective with the next request. The last owner cannot be changed.',
  })
  async changeRole(@Input() input: MemberRoleChangeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('member', await this.service.changeRole(caller, input));
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => MemberPayload, {
    name: 'memberRemove',
    description:
      'Removes a member from a tenant, effective with the next request. The last owner cannot be removed.',
  })
  async remove(@Input() input: MemberRemoveInput, @CurrentCaller() caller: Caller) {
    return payloadOf('member', await this.service.remove(caller, input));
  }
}

const cursors = cursorCodec('invitations', idOf('invitation'));

@Resolver(() => Invitation)
export class InvitationsResolver {
  constructor(
    private readonly service: InvitationsService,
    private readonly accepting: AcceptService,
    private readonly signUps: SignUpService,
    private readonly invitations: InvitationsRepository,
    private readonly tenants: TenantsRepository,
  ) {}

  @RequireTenantPermission('members:read', 'tenantKey')
  @Query(() => InvitationConnection, {
    name: 'invitations',
    description: 'Open invitations to a tenant, newest first.',
  })
  async list(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
    @Args() args: PageArgs,
  ): Promise<Connection<InvitationRow>> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) throw badInput('Tenant not found');
    return readPage(args, cursors, ({ id }) => id, this.invitations, tenant.id);
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => InvitationPayload, {
    name: 'memberInvite',
    description: 'Emails an invitation to join a tenant, valid for a week.',
  })
  async invite(@Input() input: MemberInviteInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invitation', await this.service.inviteMember(caller, input));
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => InvitationPayload, {
    name: 'invitationResend',
    description:
      'Resends an invitation to a tenant with a new link, valid for a week. The previous link becomes invalid.',
  })
  async resend(@Input() input: InvitationTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invitation', await this.service.resend(caller, input));
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => InvitationPayload, {
    name: 'invitationRevoke',
    description: 'Revokes an invitation to a tenant.',
  })
  async revoke(@Input() input: InvitationTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invitation', await this.service.revoke(caller, input));
  }

  /** Anonymous: the holder of the token may not have an account yet. */
  @Anonymous()
  @Query(() => InvitationView, {
    name: 'invitation',
    nullable: true,
    description: 'The invitation of a token; null if the token is invalid.',
  })
  find(
    @Args('token', { description: 'The part of the link after the `#`.' }) token: string,
    @CurrentVisitor() visitor: Visitor,
  ): Promise<InvitationView | null> {
    return this.accepting.find(visitor, token);
  }

  /** Anonymous: the token authorizes the request. */
  @Anonymous()
  @Mutation(() => InvitationAcceptPayload, {
    name: 'invitationAccept',
    description: 'Accepts an invitation, once: creates an account or uses the existing one of the address.',
  })
  async accept(@Input() input: InvitationAcceptInput, @CurrentVisitor() visitor: Visitor) {
    const outcome = await this.accepting.accept(visitor, input);
    return outcome.ok
      ? { ...outcome.value, userErrors: [] }
      : { email: null, tenantKey: null, userErrors: outcome.errors };
  }

  /** Anonymous: there is no account yet. The tenant is created once the address is confirmed. */
  @Anonymous()
  @Mutation(() => TenantSignUpPayload, {
    name: 'tenantSignUp',
    description:
      'Emails a link that creates a tenant with its owner. Available only if the operator allows sign-up.',
  })
  async signUp(@Input() input: TenantSignUpInput, @CurrentVisitor() visitor: Visitor) {
    const outcome = await this.signUps.signUp(visitor, input);
    return { userErrors: outcome.ok ? [] : outcome.errors };
  }
}

const operatorCursors = cursorCodec('operatorInvitations', idOf('invitation'));

@Resolver()
export class OperatorInvitationsResolver {
  constructor(
    private readonly inviting: InvitationsService,
    private readonly invitations: InvitationsRepository,
  ) {}

  @RequirePermission('operators:read')
  @Query(() => InvitationConnection, {
    name: 'operatorInvitations',
    description: 'Open invitations of operators, newest first.',
  })
  async listInvitations(@Args() args: PageArgs): Promise<Connection<InvitationRow>> {
    return readPage(args, operatorCursors, ({ id }) => id, this.invitations, null);
  }

  @RequirePermission('operators:write')
  @Mutation(() => InvitationPayload, {
    name: 'operatorInvite',
    description: 'Emails an invitation to become an operator, valid for a week.',
  })
  async invite(@Input() input: OperatorInviteInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invitation', await this.inviting.inviteOperator(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => InvitationPayload, {
    name: 'operatorInvitationResend',
    description:
      'Resends an invitation of an operator with a new link, valid for a week. The previous link becomes invalid.',
  })
  async resend(@Input() input: OperatorInvitationTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invitation', await this.inviting.resend(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => InvitationPayload, {
    name: 'operatorInvitationRevoke',
    description: 'Revokes an invitation of an operator.',
  })
  async revoke(@Input() input: OperatorInvitationTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invitation', await this.inviting.revoke(caller, input));
  }
}
