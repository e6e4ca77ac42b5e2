import type * as z from 'zod';
import { envSchema, setupEnvSchema } from './env-schema.js';

type Env = Record<string, string | undefined>;

/** The settings of one process: read once, frozen, and the same everywhere. */
export class AppConfig {
  readonly databaseUrl: string;
  readonly databaseMaxConnections: number;
  /** Jobs, policy and the usage stream. */
  readonly redisConfigUrl: string;
  readonly redisCountersUrl: string;
  readonly host: string;
  readonly port: number;
  /** Origin of the console, without a trailing slash. */
  readonly publicOrigin: string;
  readonly trustedProxyHops: number;
  readonly sessionSecret: string;
  readonly tokenPepper: string;
  readonly tokenPepperVersion: number;
  readonly worker: 'inline' | 'separate';
  readonly consoleDir: string | undefined;
  readonly graphqlIntrospection: boolean;
  readonly logLevel: z.output<typeof envSchema>['LOG_LEVEL'];

  constructor(env: z.output<typeof envSchema>) {
    this.databaseUrl = env.DATABASE_URL;
    this.databaseMaxConnections = env.DATABASE_MAX_CONNECTIONS;
    this.redisConfigUrl = env.REDIS_CONFIG_URL;
    this.redisCountersUrl = env.REDIS_COUNTERS_URL ?? env.REDIS_CONFIG_URL;
    this.host = env.HOST;
    this.port = env.PORT;
    this.publicOrigin = new URL(env.PUBLIC_URL ?? `http://${env.HOST}:${env.PORT}`).origin;
    this.trustedProxyHops = env.TRUSTED_PROXY_HOPS;
    this.sessionSecret = env.SESSION_SECRET;
    this.tokenPepper = env.TOKEN_PEPPER;
    this.tokenPepperVersion = env.TOKEN_PEPPER_VERSION;
    this.worker = env.WORKER;
    this.consoleDir = env.CONSOLE_DIR;
    this.graphqlIntrospection = env.GRAPHQL_INTROSPECTION;
    this.logLevel = env.LOG_LEVEL;
    Object.freeze(this);
  }
}

/** Every problem of the environment at once, by name. Values are left out: they may be secrets. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** @throws ConfigError */
export function loadConfig(env: Env = process.env): AppConfig {
  return new AppConfig(parseEnv(envSchema, env));
}

/** The settings of the set-up command. @throws ConfigError */
export function loadSetupConfig(env: Env = process.env): {
  config: AppConfig;
  stateFile: string;
  demoSeed: boolean;
} {
  const parsed = parseEnv(setupEnvSchema, env);
  return { config: new AppConfig(parsed), stateFile: parsed.SETUP_STATE_FILE, demoSeed: parsed.DEMO_SEED };
}

function parseEnv<S extends z.ZodObject>(schema: S, env: Env): z.output<S> {
  // Shells and compose files set a variable to nothing where they mean to leave it out.
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return name in given ? `${name} ${issue.message}` : `${name} is not set`;
    }),
  );
}
