import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createPrismaClient, Prisma, type PrismaClient } from '@tollgate/database';
import { AppConfig } from '../../config/app-config.js';

/** A transaction, or the client itself where none is needed. */
export type Tx = Prisma.TransactionClient;

/** The connection to Postgres. Only repositories and `platform/` use it. */
@Injectable()
export class Database implements OnApplicationShutdown {
  readonly client: PrismaClient;

  constructor(config: AppConfig) {
    this.client = createPrismaClient(config.databaseUrl, { max: config.databaseMaxConnections });
  }

  /** @throws when Postgres does not answer. */
  async ping(): Promise<void> {
    await this.client.$queryRaw`SELECT 1`;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.$disconnect();
  }
}

/** Whether `error` says that a unique key is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
