import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller } from '../../../platform/access/current-caller.decorator.js';
import {
  Anonymous,
  RequirePermission,
  RequireSignIn,
} from '../../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import { CurrentVisitor, type Visitor } from '../members/visitor.js';
import {
  AccountHelpInput,
  AccountHelpPayload,
  AccountSecurity,
  PasswordResetRequestInput,
  PasswordResetRequestPayload,
  SessionRevokeInput,
  SessionRevokeOthersInput,
  SessionRevokePayload,
} from './account.graphql.js';
import { AccountService } from './account.service.js';
import { PasswordResetService } from './password-reset.service.js';

@Resolver(() => AccountSecurity)
export class AccountResolver {
  constructor(
    private readonly service: AccountService,
    private readonly resets: PasswordResetService,
  ) {}

  @RequireSignIn()
  @Query(() => AccountSecurity, {
    name: 'accountSecurity',
    nullable: true,
    description: 'Sessions and second factors of the signed-in person; null for a service token.',
  })
  security(@CurrentCaller() caller: Caller): Promise<AccountSecurity | null> {
    return this.service.findSecurity(caller);
  }

  @RequireSignIn()
  @Mutation(() => SessionRevokePayload, {
    name: 'sessionRevoke',
    description: 'Ends one session of the signed-in person at once, live streams included.',
  })
  async revoke(
    @Args('input', { description: 'Which session.' }) input: SessionRevokeInput,
    @CurrentCaller() caller: Caller,
  ) {
    return revokePayload(await this.service.revokeSession(caller, input.id, input.reason ?? null));
  }

  @RequireSignIn()
  @Mutation(() => SessionRevokePayload, {
    name: 'sessionRevokeOthers',
    description: 'Ends all sessions of the signed-in person except the current one.',
  })
  async revokeOthers(
    @Args('input', { description: 'Reason, if any.' }) input: SessionRevokeOthersInput,
    @CurrentCaller() caller: Caller,
  ) {
    return revokePayload(await this.service.revokeOtherSessions(caller, input.reason ?? null));
  }

  /** Anonymous: a user who forgot the password cannot sign in. The link goes to the account's own mailbox. */
  @Anonymous()
  @Mutation(() => PasswordResetRequestPayload, {
    name: 'passwordResetRequest',
    description:
      'Mails a link that sets a new password, once, within an hour. The answer does not depend on whether there is an account.',
  })
  async requestReset(
    @Args('input', { description: 'The account.' }) input: PasswordResetRequestInput,
    @CurrentVisitor() visitor: Visitor,
  ) {
    const outcome = await this.resets.request(visitor, input);
    return { userErrors: outcome.ok ? [] : outcome.errors };
  }

  @RequirePermission('members:write')
  @Mutation(() => AccountHelpPayload, {
    name: 'accountPasswordResetSend',
    description:
      "Mails a password reset link to the account's own address. For operators' accounts `operators:write` is needed too.",
  })
  async sendReset(
    @Args('input', { description: 'The account, and why.' }) input: AccountHelpInput,
    @CurrentCaller() caller: Caller,
  ) {
    return helpPayload(await this.service.sendPasswordReset(caller, input));
  }

  @RequirePermission('members:write')
  @Mutation(() => AccountHelpPayload, {
    name: 'accountTwoFactorRemove',
    description:
      'Turns off two-factor authentication for an account that lost it and notifies the owner by email. Accounts of operators also need `operators:write`.',
  })
  async removeTwoFactor(
    @Args('input', { description: 'The account, and why.' }) input: AccountHelpInput,
    @CurrentCaller() caller: Caller,
  ) {
    return helpPayload(await this.service.removeTwoFactor(caller, input));
  }
}

function revokePayload(outcome: Outcome<number>) {
  return outcome.ok ? { revoked: outcome.value, userErrors: [] } : { revoked: 0, userErrors: outcome.errors };
}

function helpPayload(outcome: Outcome<string>) {
  return outcome.ok ? { email: outcome.value, userErrors: [] } : { email: null, userErrors: outcome.errors };
}
