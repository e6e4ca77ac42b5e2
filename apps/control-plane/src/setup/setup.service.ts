import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { formatMoney } from '@tollgate/contracts';
import { StartError } from '@tollgate/logging';
import * as z from 'zod';
import { OffersRepository } from '../features/commerce/index.js';
import { TenantsRepository } from '../features/customers/index.js';
import { AuthService, ServiceTokensService } from '../features/identity/index.js';
import { type Caller, SYSTEM_ACTOR } from '../platform/access/actor.js';
import { newId } from '../platform/ids.js';
import { OperatorRole } from '../platform/prisma/schema.js';
import { runInScope } from '../platform/tenant-scope.js';
import { readDemoData } from './demo-data.js';
import { DemoSeed } from './demo-seed.js';

/** The file shared with the starter: it writes the admin, set-up adds tokens and the sign-in link. */
const setupStateSchema = z.looseObject({
  admin: z.looseObject({ email: z.email(), password: z.string().min(8).max(128) }),
  signInUrl: z.string().optional(),
  serviceToken: z.string().optional(),
  adminToken: z.string().optional(),
  demo: z
    .looseObject({
      tenant: z.string(),
      api: z.string(),
      operation: z.string(),
      subject: z.record(z.string(), z.string()),
      /** An API key of the tenant. */
      apiKey: z.string().optional(),
    })
    .optional(),
});

export type SetupState = z.output<typeof setupStateSchema>;

/**
 * @param admin from the environment; default: the file's
 * @throws StartError with the names of invalid fields, without their values
 */
export function readSetupState(file: string | undefined, admin?: SetupState['admin']): SetupState {
  const stored = file !== undefined && (admin === undefined || existsSync(file)) ? readJson(file) : {};
  const parsed = setupStateSchema.safeParse(admin === undefined ? stored : { ...stored, admin });
  if (parsed.success) return parsed.data;
  throw new StartError(
    `${file ?? 'the environment'} is invalid: ${parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')}`,
  );
}

/** @throws StartError without any part of the content, which includes a password */
function readJson(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code = 'not JSON' } = error as NodeJS.ErrnoException;
    throw new StartError(`SETUP_STATE_FILE: ${file} cannot be read (${code}).`);
  }
}

/** Writes the state. With an admin from the environment, omits it and also writes the token for `DECISION_TOKEN`. */
export function writeSetupState(file: string, state: SetupState, isAdminFromEnv = false): void {
  const { admin: _, ...withoutAdmin } = state;
  writePrivately(file, `${JSON.stringify(isAdminFromEnv ? withoutAdmin : state, null, 2)}\n`);
  if (isAdminFromEnv)
    writePrivately(path.join(path.dirname(file), 'decision-token'), `${state.serviceToken}\n`);
}

/** Replaces the file atomically; only its owner can read it. */
function writePrivately(file: string, content: string): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Prepares an installation: an owner; with a state file, two tokens, a sign-in link and optionally the demo. */
@Injectable()
export class SetupService {
  private readonly caller: Caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };

  constructor(
    private readonly auth: AuthService,
    private readonly serviceTokens: ServiceTokensService,
    private readonly demoSeed: DemoSeed,
    private readonly offers: OffersRepository,
    private readonly tenants: TenantsRepository,
  ) {}

  /** Returns the completed state. A repeated run adds only missing parts and issues a new sign-in link. */
  async run(state: SetupState, options: { demoSeed: boolean }): Promise<SetupState> {
    const { email } = state.admin;
    await this.ensureOwner(state.admin);
    const serviceToken = await this.ensureToken(state.serviceToken, 'Set-up: decisions', 'decide');
    const adminToken = await this.ensureToken(state.adminToken, 'Set-up: automation', 'admin');
    const demo = options.demoSeed ? await this.ensureDemo(state) : undefined;
    const signInUrl = await this.auth.issueSignInUrl(email);
    return { ...state, signInUrl, serviceToken, adminToken, ...(demo === undefined ? {} : { demo }) };
  }

  /** Offers that are not for sale until somebody confirms their price: `pack: HUF 49.00`. */
  async listUnconfirmedPrices(): Promise<string[]> {
    const offers = await this.offers.listUnconfirmed();
    return offers.map(
      ({ key, priceMinor, currency }) => `${key}: ${formatMoney(Number(priceMinor), currency)}`,
    );
  }

  /** Stores all time zones under their canonical names. */
  renameTimeZones(): Promise<void> {
    return runInScope('all', () => this.tenants.renameTimeZones());
  }

  async ensureOwner({ email, password }: SetupState['admin']): Promise<void> {
    await this.auth.ensureOperator({ email, password, name: 'Admin', role: OperatorRole.OWNER });
  }

  /** Returns `given` if it is valid; otherwise revokes tokens of this name and creates one. */
  private async ensureToken(given: string | undefined, name: string, scope: string): Promise<string> {
    const known = given === undefined ? undefined : await this.serviceTokens.verify(given);
    if (given !== undefined && known?.scopes.includes(scope)) return given;
    for (const token of await this.serviceTokens.list()) {
      if (token.name !== name || token.revokedAt !== null) continue;
      await this.serviceTokens.revoke(this.caller, { id: token.id, reason: 'Replaced at set-up' });
    }
    const input = { name, scopes: [scope], reason: 'Issued at set-up' };
    const outcome = await this.serviceTokens.create(this.caller, input);
    if (!outcome.ok) throw new Error(`service token not created: ${outcome.errors[0]?.message}`);
    return outcome.value.token;
  }

  /** Keeps the API key of the first run, because it cannot be shown again. */
  private async ensureDemo({ admin, demo }: SetupState): Promise<NonNullable<SetupState['demo']>> {
    const data = readDemoData();
    const keys = await this.demoSeed.run(data, admin.password);
    const apiKey = keys.get(data.example.tenant) ?? demo?.apiKey;
    return { ...data.example, ...(apiKey === undefined ? {} : { apiKey }) };
  }
}
