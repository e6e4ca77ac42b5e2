import { Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  Anonymous,
  CurrentCaller,
  RequirePermission,
  RequireSignIn,
} from '../../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
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
    description: 'Sessions and second factors of the viewer; null for a service token.',
  })
  security(@CurrentCaller() caller: Caller): Promise<AccountSecurity | null> {
    return this.service.findSecurity(caller);
  }

  @RequireSignIn()
  @Mutation(() => SessionRevokePayload, {
    name: 'sessionRevoke',
    description: 'Ends a session of the viewer, including its streams.',
  })
  async revoke(@Input() input: SessionRevokeInput, @CurrentCaller() caller: Caller) {
    return revokePayload(await this.service.revokeSession(caller, input.id, input.reason ?? null));
  }

  @RequireSignIn()
  @Mutation(() => SessionRevokePayload, {
    name: 'sessionRevokeOthers',
    description: 'Ends all sessions of the viewer except the current one.',
  })
  async revokeOthers(@Input() input: SessionRevokeOthersInput, @CurrentCaller() caller: Caller) {
    return revokePayload(await this.service.revokeOtherSessions(caller, input.reason ?? null));
  }

  /** Anonymous: a user who forgot the password cannot sign in. The link is sent to the account's own address. */
  @Anonymous()
  @Mutation(() => PasswordResetRequestPayload, {
    name: 'passwordResetRequest',
    description:
      'Emails a one-time link to reset the password, valid for one hour. The response does not reveal whether the account exists.',
  })
  async requestReset(@Input() input: PasswordResetRequestInput, @CurrentVisitor() visitor: Visitor) {
    const outcome = await this.resets.request(visitor, input);
    return { userErrors: outcome.ok ? [] : outcome.errors };
  }

  @RequirePermission('members:write')
  @Mutation(() => AccountHelpPayload, {
    name: 'accountPasswordResetSend',
    description:
      "Emails a password reset link to the account's own address. Accounts of operators also require `operators:write`.",
  })
  async sendReset(@Input() input: AccountHelpInput, @CurrentCaller() caller: Caller) {
    return helpPayload(await this.service.sendPasswordReset(caller, input));
  }

  @RequirePermission('members:write')
  @Mutation(() => AccountHelpPayload, {
    name: 'accountTwoFactorRemove',
    description:
      'Turns off two-factor authentication for an account that lost it and notifies the owner by email. Accounts of operators also require `operators:write`.',
  })
  async removeTwoFactor(@Input() input: AccountHelpInput, @CurrentCaller() caller: Caller) {
    return helpPayload(await this.service.removeTwoFactor(caller, input));
  }
}

function revokePayload(outcome: Outcome<number>) {
  return outcome.ok ? { revoked: outcome.value, userErrors: [] } : { revoked: 0, userErrors: outcome.errors };
}

function helpPayload(outcome: Outcome<string>) {
  return outcome.ok ? { email: outcome.value, userErrors: [] } : { email: null, userErrors: outcome.errors };
}
