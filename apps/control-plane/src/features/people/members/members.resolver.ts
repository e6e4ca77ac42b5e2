import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import {
  Anonymous,
  RequirePermission,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/payload.js';
import { badInput } from '../../../platform/errors/api-error.js';
import { type Connection, PageArgs } from '../../../platform/graphql/connection.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
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
    description: 'Gives a member another role, from the next request on. The last owner stays one.',
  })
  async changeRole(
    @Args('input', { description: 'Who, and which role.' }) input: MemberRoleChangeInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('member', await this.service.changeRole(caller, input));
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => MemberPayload, {
    name: 'memberRemove',
    description: 'Takes a member out of a tenant, from the next request on. The last owner stays.',
  })
  async remove(
    @Args('input', { description: 'Who.' }) input: MemberRemoveInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('member', await this.service.remove(caller, input));
  }
}

const cursors = cursorCodec('invitations', z.string());

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
    const page = parsePage(args, cursors);
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) throw badInput('There is no tenant of this key');
    const rows = await this.invitations.listOpen(tenant.id, page);
    return toConnection(
      rows,
      page,
      ({ id }) => cursors.encode(id),
      () => this.invitations.countOpen(tenant.id),
    );
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => InvitationPayload, {
    name: 'memberInvite',
    description: 'Sends somebody a link by which they join a tenant, within a week.',
  })
  async invite(
    @Args('input', { description: 'Whom.' }) input: MemberInviteInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('invitation', await this.service.inviteMember(caller, input));
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => InvitationPayload, {
    name: 'invitationResend',
    description: 'Sends an invitation to a tenant again, for another week; its first link ends.',
  })
  async resend(
    @Args('input', { description: 'Which invitation.' }) input: InvitationTargetInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('invitation', await this.service.resend(caller, input));
  }

  @RequireTenantPermission('members:write', 'input.tenantKey')
  @Mutation(() => InvitationPayload, {
    name: 'invitationRevoke',
    description: 'Takes an invitation to a tenant back.',
  })
  async revoke(
    @Args('input', { description: 'Which invitation.' }) input: InvitationTargetInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('invitation', await this.service.revoke(caller, input));
  }

  /** Anonymous: whoever holds the token is asked to join, and may not have an account yet. */
  @Anonymous()
  @Query(() => InvitationView, {
    name: 'invitation',
    nullable: true,
    description: 'What an invitation is for; null for a token that cannot be used.',
  })
  find(
    @Args('token', { description: 'The text behind the # of the link.' }) token: string,
    @CurrentVisitor() visitor: Visitor,
  ): Promise<InvitationView | null> {
    return this.accepting.find(visitor, token);
  }

  /** Anonymous: the token is what says who may. */
  @Anonymous()
  @Mutation(() => InvitationAcceptPayload, {
    name: 'invitationAccept',
    description:
      'Accepts an invitation, once: makes an account, or goes on with the one that the address has.',
  })
  async accept(
    @Args('input', { description: 'The answer.' }) input: InvitationAcceptInput,
    @CurrentVisitor() visitor: Visitor,
  ) {
    const outcome = await this.accepting.accept(visitor, input);
    return outcome.ok
      ? { ...outcome.value, userErrors: [] }
      : { email: null, tenantKey: null, userErrors: outcome.errors };
  }

  /** Anonymous: whoever signs up has no account yet. Nothing is made before the address is confirmed. */
  @Anonymous()
  @Mutation(() => TenantSignUpPayload, {
    name: 'tenantSignUp',
    description:
      'Sends a link by which a new tenant is made, with its owner; only where the operator allows it.',
  })
  async signUp(
    @Args('input', { description: 'The tenant.' }) input: TenantSignUpInput,
    @CurrentVisitor() visitor: Visitor,
  ) {
    const outcome = await this.signUps.signUp(visitor, input);
    return { userErrors: outcome.ok ? [] : outcome.errors };
  }
}

const operatorCursors = cursorCodec('operatorInvitations', z.string());

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
    const page = parsePage(args, operatorCursors);
    const rows = await this.invitations.listOpen(null, page);
    return toConnection(
      rows,
      page,
      ({ id }) => operatorCursors.encode(id),
      () => this.invitations.countOpen(null),
    );
  }

  @RequirePermission('operators:write')
  @Mutation(() => InvitationPayload, {
    name: 'operatorInvite',
    description: 'Sends somebody a link by which they become an operator, within a week.',
  })
  async invite(
    @Args('input', { description: 'Whom.' }) input: OperatorInviteInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('invitation', await this.inviting.inviteOperator(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => InvitationPayload, {
    name: 'operatorInvitationResend',
    description: "Sends an operator's invitation again, for another week; its first link ends.",
  })
  async resend(
    @Args('input', { description: 'Which invitation.' }) input: OperatorInvitationTargetInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('invitation', await this.inviting.resend(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => InvitationPayload, {
    name: 'operatorInvitationRevoke',
    description: "Takes an operator's invitation back.",
  })
  async revoke(
    @Args('input', { description: 'Which invitation.' }) input: OperatorInvitationTargetInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('invitation', await this.inviting.revoke(caller, input));
  }
}
