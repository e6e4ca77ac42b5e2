import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { runInScope } from '../../../platform/scope/tenant-scope.js';
import { AttemptLimiter } from '../../identity/index.js';
import { signUpSchema } from './invitation.rules.js';
import { InvitationIssuer } from './invitation-issuer.js';
import type { TenantSignUpInput } from './members.graphql.js';
import { type Visitor, visitorActor } from './visitor.js';

/** Lets people ask for a tenant of their own, where the operator allows it. */
@Injectable()
export class SignUpService {
  constructor(
    private readonly issuer: InvitationIssuer,
    private readonly limiter: AttemptLimiter,
    private readonly changes: ChangeRunner,
    private readonly config: AppConfig,
  ) {}

  /**
   * Sends a link to the address; the tenant is created when the link is opened. The reply is the same for keys and addresses that
   * exist and those that do not: a key in use is reported to the owner of the mailbox, on acceptance. A repeated sign-up replaces
   * the link. Refused: INVALID if sign-up is closed. @throws ApiError THROTTLED
   */
  async signUp(visitor: Visitor, input: TenantSignUpInput): Promise<Outcome<null>> {
    const { address } = visitor;
    await this.limiter.take({ kind: 'sign-up', address, account: String(input.email) });
    if (this.config.signUpTier === undefined) {
      const message = 'Sign-up is closed. Ask the operator for an invitation.';
      return refuse([userError(UserErrorCode.INVALID, null, message)]);
    }
    const parsed = parseInput(signUpSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { key, name, email, reason } = parsed.data;
    if (visitor.dryRun) return { ok: true, value: null, changeId: null, impact: null };
    const caller = { actor: visitorActor(email), requestId: visitor.requestId };
    return runInScope('all', () =>
      this.changes.run<null>(caller, { reason }, async (change) => {
        await this.issuer.replaceSignUps(change, email);
        await this.issuer.issue(change, null, email, { signUpKey: key, signUpName: name });
        return null;
      }),
    );
  }
}
