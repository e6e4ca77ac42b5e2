import { Injectable } from '@nestjs/common';
import { MAX_API_KEYS } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import { hashToken, issueToken, type TokenMode } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import { checkGrant, keyGrant } from '../../../platform/access/grants.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import type { ApiKeyMode } from '../../../platform/prisma/schema.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import {
  type ApiKeyCreateInput,
  type ApiKeyRevokeInput,
  type ApiKeyRotateInput,
  apiKeyCreateSchema,
  apiKeyRevokeSchema,
  apiKeyRotateSchema,
  apiOf,
  isLive,
} from './api-keys.graphql.js';
import { type ApiKeyRow, ApiKeysRepository } from './api-keys.repository.js';

export interface IssuedApiKey {
  apiKey: ApiKeyRow;
  /** Returned once, never stored. */
  key: string;
}

const HOUR_MS = 3_600_000;

/** Nodes apply a change once it is propagated. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Errors: NOT_FOUND, INVALID. */
  async create(caller: Caller, input: ApiKeyCreateInput): Promise<Outcome<IssuedApiKey>> {
    const parsed = parseInput(apiKeyCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, reason, name, mode, scopes, expiresAt } = parsed.data;
    return this.changeTenant<IssuedApiKey>(caller, tenantKey, reason, async (change, tenant) => {
      const excess = checkGrant(caller.actor, keyGrant(tenantKey), ['tenantKey']);
      if (excess !== undefined) return refuse([excess]);
      const refusal = await this.findRefusal(change, tenant.id, scopes, expiresAt);
      if (refusal !== undefined) return refusal;
      const { key, publicId, secret } = this.issue(mode);
      const data = { publicId, mode, name, scopes, expiresAt, createdBy: caller.actor.label };
      const apiKey = await this.keys.create(change.tx, tenant.id, data, secret);
      await this.audit(change, tenant, 'apiKey.create', apiKey, null, {
        name,
        publicId,
        mode,
        scopes,
        expiresAt: expiresAt?.toISOString() ?? null,
      });
      return { apiKey, key };
    });
  }

  /**
   * The previous secret stays valid for the overlap. Errors: NOT_FOUND; INVALID for a revoked or expired key and during
   * an earlier overlap.
   */
  async rotate(caller: Caller, input: ApiKeyRotateInput): Promise<Outcome<IssuedApiKey>> {
    const parsed = parseInput(apiKeyRotateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, id, reason, overlapHours } = parsed.data;
    return this.changeTenant<IssuedApiKey>(caller, tenantKey, reason, async (change, tenant) => {
      const now = this.clock.now();
      const row = await this.keys.findOf(change.tx, tenant.id, id);
      if (row === null) return refuse([notFound(['id'], 'API key with this id')]);
      const excess = checkGrant(caller.actor, keyGrant(tenantKey), ['id']);
      if (excess !== undefined) return refuse([excess]);
      if (!isLive(row, now)) return refuse([invalid(['id'], 'The key is revoked or expired.')]);
      const ending = row.secrets.find(({ endsAt }) => endsAt !== null && endsAt > now);
      if (ending !== undefined && overlapHours > 0) {
        const message = `The previous secret stays valid until ${ending.endsAt?.toISOString()}. Rotate after that, or set overlapHours to 0 to revoke both secrets now.`;
        return refuse([invalid(['overlapHours'], message)]);
      }
      const { key, secret } = this.issue(row.mode, row.publicId);
      const endsAt = new Date(now.getTime() + overlapHours * HOUR_MS);
      const apiKey = await this.keys.rotate(change.tx, tenant.id, row.id, secret, endsAt);
      await this.audit(
        change,
        tenant,
        'apiKey.rotate',
        apiKey,
        { lastFour: row.secrets[0]?.lastFour ?? null },
        { lastFour: secret.lastFour, overlapEndsAt: endsAt.toISOString() },
      );
      return { apiKey, key };
    });
  }

  /** Errors: NOT_FOUND, INVALID if it is already revoked. */
  async revoke(caller: Caller, input: ApiKeyRevokeInput): Promise<Outcome<ApiKeyRow>> {
    const parsed = parseInput(apiKeyRevokeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, id, reason } = parsed.data;
    return this.changeTenant<ApiKeyRow>(caller, tenantKey, reason, async (change, tenant) => {
      const row = await this.keys.findOf(change.tx, tenant.id, id);
      if (row === null) return refuse([notFound(['id'], 'API key with this id')]);
      if (row.revokedAt !== null) return refuse([invalid(['id'], 'The key is already revoked.')], row);
      const revoked = await this.keys.revoke(change.tx, tenant.id, row.id, this.clock.now());
      await this.audit(
        change,
        tenant,
        'apiKey.revoke',
        revoked,
        { revokedAt: null },
        { revokedAt: revoked.revokedAt?.toISOString() ?? null },
      );
      return revoked;
    });
  }

  /** Locks the tenant and publishes its policy. */
  private changeTenant<T>(
    caller: Caller,
    tenantKey: string,
    reason: string | null,
    work: (change: Change, tenant: TenantRow) => Promise<T | Refusal<T>>,
  ): Promise<Outcome<T>> {
    return this.changes.run<T>(caller, { reason }, async (change) => {
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const result = await work(change, tenant);
      change.publish('TENANT', tenantKey);
      return result;
    });
  }

  private async findRefusal(
    change: Change,
    tenantId: string,
    scopes: string[],
    expiresAt: Date | null,
  ): Promise<Refusal<never> | undefined> {
    const now = this.clock.now();
    if (expiresAt !== null && expiresAt <= now)
      return refuse([invalid(['expiresAt'], 'expiresAt must be in the future')]);
    const known = await this.keys.listApiKeys(change.tx, scopes.map(apiOf));
    const missing = scopes.findIndex((scope) => !known.has(apiOf(scope)));
    if (missing >= 0)
      return refuse([notFound(['scopes', String(missing)], `API "${apiOf(scopes[missing] ?? '')}"`)]);
    if ((await this.keys.countLive(change.tx, tenantId, now)) < MAX_API_KEYS) return undefined;
    return refuse([
      invalid(['tenantKey'], `A tenant can have at most ${MAX_API_KEYS} active keys. Revoke one first.`),
    ]);
  }

  private issue(mode: ApiKeyMode, publicId?: string) {
    const issued = issueToken('tgk', mode.toLowerCase() as TokenMode, publicId);
    const { tokenPepper, tokenPepperVersion: pepperVersion } = this.config;
    const secret = { hash: hashToken(issued.token, tokenPepper), pepperVersion, lastFour: issued.lastFour };
    return { key: issued.token, publicId: issued.publicId, secret };
  }

  private audit(
    change: Change,
    tenant: TenantRow,
    action: AuditAction,
    { id, name }: ApiKeyRow,
    before: Parameters<Change['audit']>[0]['before'],
    after: Parameters<Change['audit']>[0]['after'],
  ): Promise<void> {
    return change.audit({
      ...{ action, entityId: id, entityName: name, tenantKey: tenant.key },
      ...{ before, after },
    });
  }
}
