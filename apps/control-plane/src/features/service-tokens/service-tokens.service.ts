import { Injectable } from '@nestjs/common';
import { hashToken, issueToken, parseToken, tokenMatches } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../config/app-config.js';
import type { Caller } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change-runner.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../platform/changes/outcome.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import { kindOfId } from '../../platform/ids/new-id.js';
import { isUsable, serviceTokenCreateSchema, serviceTokenRevokeSchema } from './service-token.rules.js';
import type { ServiceTokenCreateInput, ServiceTokenRevokeInput } from './service-tokens.graphql.js';
import { type ServiceTokenRow, ServiceTokensRepository } from './service-tokens.repository.js';

export interface IssuedServiceToken {
  serviceToken: ServiceTokenRow;
  /** Shown once, stored nowhere. */
  token: string;
}

/** Issues, revokes and checks service tokens. */
@Injectable()
export class ServiceTokensService {
  constructor(
    private readonly tokens: ServiceTokensRepository,
    private readonly changes: ChangeRunner,
    private readonly config: AppConfig,
  ) {}

  list(): Promise<ServiceTokenRow[]> {
    return this.tokens.list();
  }

  findById(id: string): Promise<ServiceTokenRow | null> {
    return this.tokens.findById(id);
  }

  /** Issues a token. Nodes accept it once the change is live. */
  async create(caller: Caller, input: ServiceTokenCreateInput): Promise<Outcome<IssuedServiceToken>> {
    const parsed = parseInput(serviceTokenCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason, name, scopes, expiresAt } = parsed.data;
    const { token, publicId, lastFour } = issueToken('tga', 'live');
    const hash = hashToken(token, this.config.tokenPepper);
    const pepperVersion = this.config.tokenPepperVersion;
    return this.changes.run<IssuedServiceToken>(caller, { reason }, async (change) => {
      const data = { name, publicId, hash, pepperVersion, lastFour, scopes, expiresAt };
      const row = await this.tokens.create(change.tx, data);
      await change.audit({
        action: 'serviceToken.create',
        entity: 'ServiceToken',
        entityId: row.id,
        before: null,
        after: { name, publicId, scopes, expiresAt: expiresAt?.toISOString() ?? null },
      });
      await change.publish('CATALOGUE', `serviceToken:${publicId}`);
      return { serviceToken: row, token };
    });
  }

  /** Ends a token. Refused: NOT_FOUND, INVALID when it is revoked already. */
  async revoke(caller: Caller, input: ServiceTokenRevokeInput): Promise<Outcome<ServiceTokenRow>> {
    const parsed = parseInput(serviceTokenRevokeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const missing = notFound(['id'], 'service token of this id');
    if (kindOfId(input.id) !== 'serviceToken') return refuse([missing]);
    return this.changes.run<ServiceTokenRow>(caller, { reason: parsed.data.reason }, async (change) => {
      const row = await this.tokens.lockById(change.tx, input.id);
      if (row === null) return refuse([missing]);
      if (row.revokedAt !== null) {
        return refuse([userError(UserErrorCode.INVALID, ['id'], 'The token is revoked already.')], row);
      }
      const revoked = await this.tokens.revoke(change.tx, row.id);
      const { name, publicId, scopes } = row;
      await change.audit({
        action: 'serviceToken.revoke',
        entity: 'ServiceToken',
        entityId: row.id,
        before: { name, publicId, scopes },
        after: { revokedAt: revoked.revokedAt?.toISOString() ?? null },
      });
      await change.publish('CATALOGUE', `serviceToken:${publicId}`);
      return revoked;
    });
  }

  /** The row of a token that may be used now; undefined for any other. Junk never reaches the database. */
  async verify(token: string): Promise<ServiceTokenRow | undefined> {
    const parsed = parseToken(token);
    if (parsed?.kind !== 'tga') return undefined;
    const row = await this.tokens.findByPublicId(parsed.publicId);
    // Compared with something in any case, so that the time does not tell whether the id exists.
    const matches = tokenMatches(token, this.config.tokenPepper, row?.hash ?? '0'.repeat(64));
    const usable =
      row !== null && row.pepperVersion === this.config.tokenPepperVersion && isUsable(row, Date.now());
    return matches && usable ? row : undefined;
  }
}
