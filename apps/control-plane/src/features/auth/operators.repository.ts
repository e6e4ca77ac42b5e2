import { Injectable } from '@nestjs/common';
import type { OperatorRole, User } from '@tollgate/database';
import { newId } from '../../platform/ids/new-id.js';
import { Database } from '../../platform/prisma/database.js';

/** better-auth's name for signing in with address and password. */
const PASSWORD_PROVIDER = 'credential';

/** Queries on operators that better-auth has no call for. */
@Injectable()
export class OperatorsRepository {
  constructor(private readonly database: Database) {}

  /** Addresses are stored in lower case, as better-auth looks them up. */
  findByEmail(email: string): Promise<User | null> {
    return this.database.client.user.findUnique({ where: { email: email.toLowerCase() } });
  }

  /** Creates an operator who signs in with a password. The address counts as verified: an admin has stated it. */
  async create(operator: {
    email: string;
    name: string;
    role: OperatorRole;
    passwordHash: string;
  }): Promise<void> {
    const { email, name, role, passwordHash } = operator;
    const id = newId('user');
    const account = {
      id: newId('account'),
      accountId: id,
      providerId: PASSWORD_PROVIDER,
      password: passwordHash,
    };
    await this.database.client.user.create({
      data: {
        id,
        email: email.toLowerCase(),
        name,
        role,
        emailVerified: true,
        accounts: { create: account },
      },
    });
  }
}
