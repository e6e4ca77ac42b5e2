import { Injectable } from '@nestjs/common';
import { InputType, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import { hashToken, issueToken, parseToken, tokenMatches } from '@tollgate/contracts/service-token';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { checkGrant, tokenGrant } from '../../../platform/access/grants.js';
import { permissionsOfScopes, SCOPE_RIGHTS, TOKEN_SCOPES } from '../../../platform/access/permissions.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  displayName,
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  payloadOf,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { Node } from '../../../platform/graphql/connection.js';
import {
  Input,
  MutationInput,
  MutationPayload,
  type UserError,
} from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { type ServiceTokenRow, ServiceTokensRepository } from './service-tokens.repository.js';

const DEFAULT_OVERLAP_MINUTES = 24 * 60;
const MAX_OVERLAP_MINUTES = 30 * 24 * 60;
const MAX_TENANTS = 100;

const unique = (values: readonly string[]) => new Set(values).size === values.length;
const isDecisionScope = (scope: string) => scope === 'decide' || scope === 'reset';
const scopeHint = `A scope is one of ${Object.keys(SCOPE_RIGHTS).join(', ')} or a permission such as tiers:write`;

export const serviceTokenCreateSchema = z
  .object({
    name: displayName.describe('Display name, such as its purpose.'),
    scopes: z
      .array(z.string().refine((scope) => (TOKEN_SCOPES as readonly string[]).includes(scope), scopeHint))
      .min(1, 'At least one scope is required')
      .refine(unique, 'Duplicate scope')
      .describe(
        'One or more of `decide` (call the decision API), `admin` (everything), `read` (read everything), `policy`, `tenants` and `billing` (the permissions of these areas), or single permissions such as `tiers:write`. The caller must hold every permission that it grants.',
      ),
    tenantKeys: z
      .array(tenantKeySchema)
      .max(MAX_TENANTS, `At most ${MAX_TENANTS} tenants`)
      .refine(unique, 'Duplicate tenant')
      .nullish()
      .describe('Keys of the tenants that operations may name; all by default.')
      .transform((keys) => keys ?? []),
    expiresAt: z
      .date()
      .meta({ graphql: () => DateTime })
      .nullish()
      .describe('When the token expires; never by default.')
      .transform((value) => value ?? null)
      .refine((value) => value === null || value.getTime() > Date.now(), 'expiresAt must be in the future'),
    reason: optionalNote,
  })
  .refine(({ scopes, tenantKeys }) => tenantKeys.length === 0 || !scopes.some(isDecisionScope), {
    path: ['tenantKeys'],
    message: 'Tokens with the scope `decide` or `reset` cannot be limited to tenants',
  });

@InputType({ description: 'A new service token.' })
export class ServiceTokenCreateInput extends InputOf(serviceTokenCreateSchema, MutationInput) {}

export const serviceTokenRevokeSchema = z.object({ id: idField('Id of the token.'), reason: optionalNote });

@InputType({ description: 'The service token to revoke.' })
export class ServiceTokenRevokeInput extends InputOf(serviceTokenRevokeSchema, MutationInput) {}

export const serviceTokenRotateSchema = serviceTokenRevokeSchema.extend({
  overlapMinutes: z
    .int()
    .min(0, 'overlapMinutes must be 0 or more')
    .max(MAX_OVERLAP_MINUTES, `overlapMinutes must be ${MAX_OVERLAP_MINUTES} (30 days) or less`)
    .nullish()
    .describe('Minutes for which the old token stays valid, 0 to 43200 (30 days); 1440 by default.')
    .transform((minutes) => minutes ?? DEFAULT_OVERLAP_MINUTES),
});

@InputType({ description: 'The service token to rotate.' })
export class ServiceTokenRotateInput extends InputOf(serviceTokenRotateSchema, MutationInput) {}

export function isUsable(token: { expiresAt: Date | null; revokedAt: Date | null }, nowMs: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt.getTime() > nowMs);
}

/** Errors for scopes with permissions that the issuer lacks. */
export function findExcessiveScopes(
  issuer: Pick<Actor, 'ability'>,
  { scopes, tenantKeys }: { scopes: readonly string[]; tenantKeys: readonly string[] },
): UserError[] {
  return scopes.flatMap(
    (scope, index) => checkGrant(issuer, tokenGrant([scope], tenantKeys), ['scopes', String(index)]) ?? [],
  );
}

@ObjectType({
  implements: () => [Node],
  description: 'A credential for automation. Only a hash of the token is stored.',
})
export class ServiceToken extends ObjectOf(Node, {
  name: field.string('Display name.'),
  publicId: field.string('The public part of the token.'),
  lastFour: field.string('The last four characters of the token.'),
  scopes: field
    .string(
      'Scopes: `decide`, `admin`, `read`, `policy`, `tenants`, `billing`, or permissions such as `tiers:write`.',
    )
    .list(),
  tenantKeys: field.string('Keys of the tenants that it is limited to; empty: all tenants.').list(),
  permissions: field.string('Permissions of its scopes in this API, such as `tiers:write`.').list(),
  lastUsedAt: field
    .dateTime(
      'When the token was last used with this API, to the minute; null: never, or only with the decision API.',
    )
    .nullable(),
  replacedById: field.id('Id of the token that replaced it; null: not rotated.').nullable(),
  createdAt: field.dateTime('When the token was issued.'),
  expiresAt: field.dateTime('When the token expires; null: never.').nullable(),
  revokedAt: field.dateTime('When the token was revoked; null: not revoked.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of issuing a service token.' })
export class ServiceTokenCreatePayload extends ObjectOf(MutationPayload, {
  serviceToken: field.of(() => ServiceToken, 'The new service token.').nullable(),
  token: field.string('The token, returned only once.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to a service token.' })
export class ServiceTokenPayload extends ObjectOf(MutationPayload, {
  serviceToken: field.of(() => ServiceToken, 'The service token after the change.').nullable(),
}) {}

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
      change.publish('CATALOGUE', `serviceToken:${old.publicId}`);
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
      change.publish('CATALOGUE', `serviceToken:${publicId}`);
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
    change.publish('CATALOGUE', `serviceToken:${publicId}`);
    return { serviceToken: row, token };
  }
}

@Resolver(() => ServiceToken)
export class ServiceTokensResolver {
  constructor(private readonly service: ServiceTokensService) {}

  @RequirePermission('service-tokens:read')
  @Query(() => [ServiceToken], { name: 'serviceTokens', description: 'All service tokens, newest first.' })
  list(): Promise<ServiceTokenRow[]> {
    return this.service.list();
  }

  @RequirePermission('service-tokens:write')
  @Mutation(() => ServiceTokenCreatePayload, {
    name: 'serviceTokenCreate',
    description: 'Issues a service token. The token is returned only once.',
  })
  async create(@Input() input: ServiceTokenCreateInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.create(caller, input);
    return outcome.ok
      ? { ...outcome.value, userErrors: [] }
      : { serviceToken: null, token: null, userErrors: outcome.errors };
  }

  @RequirePermission('service-tokens:write')
  @Mutation(() => ServiceTokenCreatePayload, {
    name: 'serviceTokenRotate',
    description:
      'Issues a token with the same scopes, returned only once. The old token expires after the overlap.',
  })
  async rotate(@Input() input: ServiceTokenRotateInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.rotate(caller, input);
    return outcome.ok
      ? { ...outcome.value, userErrors: [] }
      : { serviceToken: outcome.current?.serviceToken ?? null, token: null, userErrors: outcome.errors };
  }

  @ResolveField()
  permissions(@Parent() { scopes }: ServiceTokenRow): string[] {
    return permissionsOfScopes(scopes);
  }

  @RequirePermission('service-tokens:write')
  @Mutation(() => ServiceTokenPayload, {
    name: 'serviceTokenRevoke',
    description: 'Revokes a service token permanently.',
  })
  async revoke(@Input() input: ServiceTokenRevokeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('serviceToken', await this.service.revoke(caller, input));
  }
}
