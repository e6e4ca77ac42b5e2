import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { type Outcome, parseInput, refuse, userError } from '../../platform/changes/outcome.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { runInScope } from '../../platform/scope/tenant-scope.js';
import { AttemptLimiter } from '../auth/index.js';
import { TenantsRepository } from '../tenants/index.js';
import { signUpSchema } from './invitation.rules.js';
import { InvitationIssuer } from './invitation-issuer.js';
import type { TenantSignUpInput } from './members.graphql.js';
import { type Visitor, visitorActor } from './visitor.js';

/** Lets people ask for a tenant of their own, where the operator allows it. */
@Injectable()
export class SignUpService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly issuer: InvitationIssuer,
    private readonly limiter: AttemptLimiter,
    private readonly changes: ChangeRunner,
    private readonly config: AppConfig,
  ) {}

  /**
   * Takes note of somebody who wants a tenant, and sends a link there: nothing is made for an address that nobody has
   * confirmed. Refused: INVALID where nobody may sign up, TAKEN. @throws ApiError THROTTLED
   */
  async signUp(visitor: Visitor, input: TenantSignUpInput): Promise<Outcome<null>> {
    const { address } = visitor;
    await this.limiter.take({ kind: 'sign-up', address, account: String(input.email) });
    if (this.config.signUpTier === undefined) {
      const message = 'Nobody may sign up here. Ask the operator for an invitation.';
      return refuse([userError(UserErrorCode.INVALID, null, message)]);
    }
    const parsed = parseInput(signUpSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { key, name, email, reason } = parsed.data;
    const caller = { actor: visitorActor(email), requestId: visitor.requestId, dryRun: visitor.dryRun };
    const onTaken = userError(UserErrorCode.TAKEN, ['email'], 'A link was sent to this address already.');
    return runInScope('all', () =>
      this.changes.run<null>(caller, { reason, onTaken }, async (change) => {
        if ((await this.tenants.findByKey(key)) !== null)
          return refuse([userError(UserErrorCode.TAKEN, ['key'], 'This key is in use already.')]);
        await this.issuer.issue(change, null, email, { signUpKey: key, signUpName: name });
        return null;
      }),
    );
  }
}
