import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { loginSql } from '@tollgate/database';
import { AppConfig } from '../../config/app-config.js';
import { isUnavailable } from '../api-error.js';
import { Log } from '../log.js';
import { Database } from './database.js';

const RETRY_MS = 1000;

/** `DATABASE_URL` has an unsafe login; the message explains the fix. */
export class DatabaseLoginError extends Error {
  override readonly name = 'DatabaseLoginError';
}

/**
 * Refuses logins that bypass row-level security and unknown scope keys. While Postgres is unavailable, the process
 * starts and checks later.
 */
@Injectable()
export class DatabaseLogin implements OnApplicationBootstrap {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.log.warn({ err: error }, 'database unavailable; its login is checked later');
      this.checkLater();
    }
  }

  async check(): Promise<void> {
    const { login, problems, knowsKey } = await this.database.checkLogin();
    if (!knowsKey) {
      throw new DatabaseLoginError(
        'The database does not know the key that this process signs scopes with (DATABASE_SCOPE_SECRETS, or SESSION_SECRET ' +
          'where that is not set). Run setup with the same value.',
      );
    }
    if (problems.length === 0) return;
    const message = loginMessage(login, problems);
    const isAccepted = !this.config.isProduction || this.config.allowInsecure.has('database-login');
    if (isAccepted) return this.log.warn({ login, problems }, 'unsafe database login');
    throw new DatabaseLoginError(message);
  }

  private checkLater(): void {
    const timer = setInterval(() => {
      this.check().then(
        () => clearInterval(timer),
        (error) => {
          if (isUnavailable(error)) return;
          clearInterval(timer);
          this.log.error({ err: error }, 'unsafe database login');
          process.kill(process.pid, 'SIGTERM');
        },
      );
    }, RETRY_MS).unref();
  }
}

function loginMessage(login: string, problems: readonly string[]): string {
  return [
    `DATABASE_URL logs in as ${login}, which bypasses row-level security:`,
    ...problems.map((problem) => `  - ${problem}`),
    'Put that login into DATABASE_MIGRATION_URL, which only setup reads, and another one into DATABASE_URL. Setup creates it; ' +
      'where it may not create roles, a DBA runs:',
    loginSql('tollgate_control_plane'),
    'ALLOW_INSECURE=database-login accepts this login.',
  ].join('\n');
}
