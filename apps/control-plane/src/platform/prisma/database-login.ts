import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { addressOf, describeError, StartError } from '@tollgate/logging';
import { AppConfig, ConfigError } from '../../config/app-config.js';
import { isUnavailable } from '../api-error.js';
import { Log } from '../log.js';
import { Database } from './database.js';

const RETRY_MS = 1000;

/**
 * Refuses an unsupported Postgres, logins that bypass row-level security, and unknown scope keys. While Postgres is
 * unavailable, the process starts and checks later.
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
      const address = addressOf(this.config.databaseUrl);
      if (!isUnavailable(error)) throw refusedLogin(error, address) ?? error;
      const facts = { setting: 'DATABASE_URL', address, error: causeOf(error) };
      this.log.warn(facts, 'database unavailable; its login is checked later');
      this.checkLater();
    }
  }

  /** @throws ConfigError */
  async check(): Promise<void> {
    const { login, blockers, problems, knowsKey } = await this.database.checkLogin();
    if (blockers.length > 0) throw new ConfigError(blockers);
    if (!knowsKey) {
      throw new ConfigError([
        'The database does not know the key that this process signs scopes with (DATABASE_SCOPE_SECRETS, or SESSION_SECRET ' +
          'where that is not set). Run setup with the same value.',
      ]);
    }
    if (problems.length === 0) return;
    const isAccepted = !this.config.isProduction || this.config.allowInsecure.has('database-login');
    if (isAccepted) return this.log.warn({ login, problems }, 'unsafe database login');
    throw new ConfigError([
      `DATABASE_URL: row-level security does not restrict the login ${login}: it ${problems.join('; ')}. Use a separate login; ` +
        'setup creates it or prints the SQL (docs/operate/postgres.md).',
    ]);
  }

  private checkLater(): void {
    const timer = setInterval(() => {
      this.check().then(
        () => clearInterval(timer),
        (error) => {
          if (isUnavailable(error)) return;
          clearInterval(timer);
          this.log.error({ err: error }, 'unusable database');
          process.kill(process.pid, 'SIGTERM');
        },
      );
    }, RETRY_MS).unref();
  }
}

/** Message of the innermost error. */
function causeOf(error: unknown): string {
  let described = describeError(error);
  while (described.cause !== undefined) described = described.cause;
  return described.message;
}

/** For these errors, a retry does not help. */
const REFUSALS: Readonly<Record<string, RegExp>> = {
  'wrong user or password': /28P01|28000|AuthenticationFailed/,
  'the database does not exist': /3D000|DatabaseDoesNotExist/,
};

function refusedLogin(error: unknown, address: string): StartError | undefined {
  const text = `${causeOf(error)} ${JSON.stringify(error)}`;
  const reason = Object.keys(REFUSALS).find((name) => REFUSALS[name]?.test(text));
  if (reason === undefined) return undefined;
  return new StartError(
    `Postgres at ${address} refused the login of DATABASE_URL: ${reason}. Correct DATABASE_URL, or run setup, which creates the login and the database.`,
  );
}
