import { prismaAdapter } from 'better-auth/adapters/prisma';
import type { Database } from './database.js';

/** How better-auth reads and writes users, sessions and sign-in links. */
export function authAdapter(database: Database) {
  return prismaAdapter(database.accounts, { provider: 'postgresql', transaction: true });
}
