import { Injectable } from '@nestjs/common';
import type { OperatorRole } from '@tollgate/database';
import { Database } from '../../platform/prisma/database.js';

/** What whoever started something may do now. */
@Injectable()
export class StartersRepository {
  constructor(private readonly database: Database) {}

  /** Null for whoever is no operator any more, or suspended. */
  async findRole(userId: string): Promise<OperatorRole | null> {
    const user = await this.database.client.user.findUnique({ where: { id: userId } });
    return user === null || user.suspendedAt !== null ? null : user.role;
  }

  /** None for a token that is no longer valid, or acts in some tenants only. */
  async listScopes(tokenId: string, now: Date): Promise<string[]> {
    const token = await this.database.client.serviceToken.findUnique({ where: { id: tokenId } });
    const isOver = token === null || token.revokedAt !== null || (token.expiresAt ?? now) < now;
    return isOver || token.tenantKeys.length > 0 ? [] : token.scopes;
  }
}
