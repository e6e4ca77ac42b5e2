import { Injectable } from '@nestjs/common';
import { hashToken, issueToken, parseToken, tokenMatches } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { invalid, notFound, type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { kindOfId } from '../../../platform/ids.js';
import type {
  ServiceTokenCreateInput,
  ServiceTokenRevokeInput,
  ServiceTokenRotateInput,
} from './service-tokens.graphql.js';
import {
  findExcessiveScopes,
  isUsable,
  serviceTokenCreateSchema,
  serviceTokenRevokeSchema,
  serviceTokenRotateSchema,
} from './service-tokens.graphql.js';
import { type ServiceTokenRow, ServiceTokensRepository } from './service-tokens.repository.js';

/** Precision of a token's `lastUsedAt`. */
const USE_KNOWN_TO_MS = 60_000;

export interface IssuedServiceToken {
  serviceToken: ServiceTokenRow;
  /** Returned once, never stored. */
  token: string;
}

@Injectable()
export class ServiceTokensService {
  constructor(
    private readonly tokens: ServiceTokensRepository,
    private readonly changes: ChangeRunner,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly access: AccessChanges,
  ) {}

  list(): Promise<ServiceTokenRow[]> {
    return this.tokens.list();
  }

  findById(id: string): Promise<ServiceTokenRow | null> {
    return this.tokens.findById(id);
  }

  /** Nodes accept it once the change is propagated. Errors: INVALID, NOT_FOUND for a tenant. */
  async create(caller: Caller, input: ServiceTokenCreateInput): Promise<Outcome<IssuedServiceToken>> {
    const parsed = parseInput(serviceTokenCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, ...facts } = parsed.data;
    const excessive = findExcessiveScopes(caller.actor, facts);
    if (excessive.length > 0) return refuse(excessive);
    return this.changes.run<IssuedServiceToken>(caller, { reason }, async (change) => {
      const known = await this.tokens.listTenantKeys(change.tx, facts.tenantKeys);
      const missing = facts.tenantKeys.filter((key) => !known.has(key));
      if (missing.length > 0)
        return refuse(missing.map((key) => notFound(['tenantKeys'], `tenant "${key}"`)));
      return this.issue(change, facts);
    });
  }

  /** The old token expires after the overlap. Errors: NOT_FOUND, INVALID if it has expired or was rotated. */
  async rotate(caller: Caller, input: ServiceTokenRotateInput): Promise<Outcome<IssuedServiceToken>> {
    const parsed = parseInput(serviceTokenRotateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, overlapMinutes } = parsed.data;
    const missing = notFound(['id'], 'service token with this id');
    if (kindOfId(input.id) !== 'serviceToken') return refuse([missing]);
    return this.changes.run<IssuedServiceToken>(caller, { reason }, async (change) => {
      const old = await this.tokens.lockById(change.tx, input.id);
      if (old === null) return refuse([missing]);
      const now = this.clock.now();
      if (!isUsable(old, now.getTime()) || old.replacedById !== null) {
        const message = 'The token is revoked, expired or already rotated.';
        return refuse([invalid(['id'], message)]);
      }
      const excessive = findExcessiveScopes(caller.actor, old);
      if (excessive.length > 0) return refuse(excessive.map((error) => ({ ...error, field: ['id'] })));
      const { name, scopes, tenantKeys, expiresAt } = old;
      const issued = await this.issue(change, { name, scopes, tenantKeys, expiresAt });
      const end = new Date(now.getTime() + overlapMinutes * 60_000);
      const endsAt = expiresAt !== null && expiresAt < end ? expiresAt : end;
      await this.tokens.replace(change.tx, old.id, issued.serviceToken.id, endsAt);
      await change.audit({
        action: 'serviceToken.rotate',
        entityId: old.id,
        entityName: name,
        before: { name, publicId: old.publicId, expiresAt: expiresAt?.toISOString() ?? null },
        after: { replacedBy: issued.serviceToken.publicId, expiresAt: endsAt.toISOString() },
      });
      await change.publish('CATALOGUE', `serviceToken:${old.publicId}`);
      return issued;
    });
  }

  /** Errors: NOT_FOUND, INVALID if it is already revoked. */
  async revoke(caller: Caller, input: ServiceTokenRevokeInput): Promise<Outcome<ServiceTokenRow>> {
    const parsed = parseInput(serviceTokenRevokeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const missing = notFound(['id'], 'service token with this id');
    if (kindOfId(input.id) !== 'serviceToken') return refuse([missing]);
    const { reason } = parsed.data;
    const outcome = await this.changes.run<ServiceTokenRow>(caller, { reason }, async (change) => {
      const row = await this.tokens.lockById(change.tx, input.id);
      if (row === null) return refuse([missing]);
      if (row.revokedAt !== null) {
        return refuse([invalid(['id'], 'The token is already revoked.')], row);
      }
      const revoked = await this.tokens.revoke(change.tx, row.id, this.clock.now());
      const { name, publicId, scopes } = row;
      await change.audit({
        action: 'serviceToken.revoke',
        entityId: row.id,
        entityName: name,
        before: { name, publicId, scopes },
        after: { revokedAt: revoked.revokedAt?.toISOString() ?? null },
      });
      await change.publish('CATALOGUE', `serviceToken:${publicId}`);
      return revoked;
    });
    if (outcome.ok && outcome.changeId !== null) await this.access.announce();
    return outcome;
  }

  /** The row of a valid token. A malformed token causes no query. */
  async verify(token: string): Promise<ServiceTokenRow | undefined> {
    const parsed = parseToken(token);
    if (parsed?.kind !== 'tga') return undefined;
    const row = await this.tokens.findByPublicId(parsed.publicId);
    // Always compares a hash, so that the duration does not reveal whether the id exists.
    const pepper = row === null ? undefined : this.config.peppers.get(row.pepperVersion);
    const matches = tokenMatches(token, pepper ?? this.config.tokenPepper, row?.hash ?? '0'.repeat(64));
    const usable = row !== null && pepper !== undefined && isUsable(row, this.clock.now().getTime());
    if (!matches || !usable) return undefined;
    await this.remember(row);
    return row;
  }

  /** At most once a minute. */
  private async remember({ id, lastUsedAt }: ServiceTokenRow): Promise<void> {
    const now = this.clock.now();
    const before = new Date(now.getTime() - USE_KNOWN_TO_MS);
    if (lastUsedAt === null || lastUsedAt < before) await this.tokens.touch(id, now, before);
  }

  private async issue(
    change: Change,
    facts: Pick<ServiceTokenRow, 'name' | 'scopes' | 'tenantKeys' | 'expiresAt'>,
  ): Promise<IssuedServiceToken> {
    const { token, publicId, lastFour } = issueToken('tga', 'live');
    const hash = hashToken(token, this.config.tokenPepper);
    const pepperVersion = this.config.tokenPepperVersion;
    const row = await this.tokens.create(change.tx, { ...facts, publicId, hash, pepperVersion, lastFour });
    const { expiresAt, ...rest } = facts;
    await change.audit({
      action: 'serviceToken.create',
      entityId: row.id,
      entityName: row.name,
      before: null,
      after: { ...rest, publicId, expiresAt: expiresAt?.toISOString() ?? null },
    });
    await change.publish('CATALOGUE', `serviceToken:${publicId}`);
    return { serviceToken: row, token };
  }
}
