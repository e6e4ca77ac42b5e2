import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/payload.js';
import { type Connection, PageArgs } from '../../../platform/graphql/connection.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { type InvitationRow, InvitationsRepository } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import {
  InvitationConnection,
  InvitationPayload,
  OperatorInvitationTargetInput,
  OperatorInviteInput,
} from './members.graphql.js';

const cursors = cursorCodec('operatorInvitations', z.string());

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
    const page = parsePage(args, cursors);
    const rows = await this.invitations.listOpen(null, page);
    return toConnection(
      rows,
      page,
      ({ id }) => cursors.encode(id),
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

/** What both kinds of invitation are answered with. */
