import { Injectable } from '@nestjs/common';
import { AuthService, ServiceTokensService } from '../features/identity/index.js';
import { type Caller, SYSTEM_ACTOR } from '../platform/access/actor.js';
import { newId } from '../platform/ids.js';
import { OperatorRole } from '../platform/prisma/schema.js';
import { readDemoData } from './demo-data.js';
import { DemoSeed } from './demo-seed.js';
import type { SetupState } from './setup-state.js';

const REASON = 'Issued at set-up';

/** Makes an installation usable: an owner, two tokens, a sign-in link, on request the demo. */
@Injectable()
export class SetupService {
  private readonly caller: Caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };

  constructor(
    private readonly auth: AuthService,
    private readonly serviceTokens: ServiceTokensService,
    private readonly demoSeed: DemoSeed,
  ) {}

  /** Returns the state with what set-up adds. Run again, it changes only what is missing, and makes a new link. */
  async run(state: SetupState, options: { demoSeed: boolean }): Promise<SetupState> {
    const { email, password } = state.admin;
    await this.auth.ensureOperator({ email, password, name: 'Admin', role: OperatorRole.OWNER });
    const serviceToken = await this.ensureToken(state.serviceToken, 'Set-up: decisions', 'decide');
    const adminToken = await this.ensureToken(state.adminToken, 'Set-up: automation', 'admin');
    const demo = options.demoSeed ? await this.ensureDemo(state) : undefined;
    const signInUrl = await this.auth.issueSignInUrl(email);
    return { ...state, signInUrl, serviceToken, adminToken, ...(demo === undefined ? {} : { demo }) };
  }

  /** The given token when it still works; else a new one, which takes the place of those that nobody knows any more. */
  private async ensureToken(given: string | undefined, name: string, scope: string): Promise<string> {
    const known = given === undefined ? undefined : await this.serviceTokens.verify(given);
    if (given !== undefined && known?.scopes.includes(scope)) return given;
    for (const token of await this.serviceTokens.list()) {
      if (token.name !== name || token.revokedAt !== null) continue;
      await this.serviceTokens.revoke(this.caller, { id: token.id, reason: 'Replaced at set-up' });
    }
    const outcome = await this.serviceTokens.create(this.caller, { name, scopes: [scope], reason: REASON });
    if (!outcome.ok) throw new Error(`No token was issued: ${outcome.errors[0]?.message}`);
    return outcome.value.token;
  }

  /** The first API key stays the same, because it cannot be shown again. */
  private async ensureDemo({ admin, demo }: SetupState): Promise<NonNullable<SetupState['demo']>> {
    const data = readDemoData();
    const keys = await this.demoSeed.run(data, admin.password);
    const apiKey = keys.get(data.example.tenant) ?? demo?.apiKey;
    return { ...data.example, nearLimits: data.nearLimits, ...(apiKey === undefined ? {} : { apiKey }) };
  }
}
