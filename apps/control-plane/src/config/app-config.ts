import { readEnvFiles } from '@tollgate/contracts/environment';
import {
  type InsecureSetting,
  type Insecurity,
  splitInsecurities,
} from '@tollgate/contracts/insecure-settings';
import type { Peppers } from '@tollgate/contracts/service-token';
import { StartError } from '@tollgate/logging';
import type * as z from 'zod';
import { envSchema, setupEnvSchema } from './env-schema.js';
import { findInsecurities, findRefusals, isProduction, publicUrl, SESSION_SEAL_ID } from './insecurities.js';
import { missingPaymentVariables, type PaymentSettings, parsePaymentSettings } from './payment-variables.js';

export interface RetentionSettings {
  readonly minuteMs: number;
  readonly hourMs: number;
  readonly dayMs: number;
  readonly sampleMs: number;
  readonly sampleRows: number;
}

const HOUR_MS = 3_600_000;

/** Of Argon2id. */
export interface PasswordCost {
  /** KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's recommendation and the library's default; about 50 ms. */
const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

type Env = Record<string, string | undefined>;

export interface EncryptionSecret {
  id: string;
  secret: string;
}

export type MailConfig =
  | { transport: 'none' }
  | { transport: 'mailbox'; from: string }
  | { transport: 'smtp'; from: string; url: string };

/** The settings of one process. Frozen. */
export class AppConfig {
  readonly databaseUrl: string;
  readonly databaseMaxConnections: number;
  /** The first signs scopes; the database accepts all. */
  readonly databaseScopeSecrets: readonly [string, ...string[]];
  /** For jobs, policy and the usage stream. */
  readonly redisConfigUrl: string;
  readonly redisConfigDurability: z.output<typeof envSchema>['REDIS_CONFIG_DURABILITY'];
  readonly redisCountersUrl: string;
  readonly host: string;
  readonly port: number;
  /** Undefined: metrics are not served. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  readonly drainNoticeMs: number;
  readonly tracing: 'off' | 'otlp';
  /** Origin of the console, without a trailing slash. */
  readonly publicOrigin: string;
  /** Whether `PUBLIC_URL` is not loopback; insecure settings are then refused. */
  readonly isProduction: boolean;
  readonly allowInsecure: ReadonlySet<InsecureSetting>;
  /** Insecure settings of this environment that `ALLOW_INSECURE` accepts. */
  readonly acceptedInsecurities: readonly Insecurity[];
  /** URL of the decision API for services and tenants, without a trailing slash; undefined: unknown. */
  readonly decisionUrl: string | undefined;
  /** Decision API and service token for test requests; undefined: test requests are disabled. */
  readonly testRequests: { url: string; token: string } | undefined;
  readonly trustedProxyHops: number;
  readonly sessionSecret: string;
  /** Pepper of new token hashes. */
  readonly tokenPepper: string;
  readonly tokenPepperVersion: number;
  /** Undefined: policy is published unsigned. */
  readonly policySigningKey: string | undefined;
  /** The first encrypts, all decrypt. */
  readonly encryptionSecrets: readonly [EncryptionSecret, ...EncryptionSecret[]];
  readonly mail: MailConfig;
  readonly webhookAllowedNetworks: readonly string[];
  readonly changeSetApproval: 'none' | 'required';
  readonly auditKey: string;
  readonly auditHeadsFile: string | undefined;
  readonly webhookTimeoutMs: number;
  /** All peppers by version, including the current one. */
  readonly peppers: Peppers;
  readonly payments: PaymentSettings;
  /** Tier of tenants created by sign-up; undefined disables sign-up. */
  readonly signUpTier: string | undefined;
  readonly undoSeconds: number;
  readonly worker: 'inline' | 'separate';
  readonly retention: RetentionSettings;
  /** `keepMs` 0: traffic is not stored. */
  readonly traffic: { readonly keepMs: number; readonly tenantBytes: number; readonly totalBytes: number };
  /** Undefined: usage frames are not exported. */
  readonly usageExport: { url: string; table: string } | undefined;
  readonly consoleDir: string | undefined;
  readonly graphqlIntrospection: boolean;
  /** GraphQL requests at once, above which further ones are shed. */
  readonly maxInFlight: number;
  /** Average lag of the event loop above which GraphQL requests are shed. */
  readonly maxEventLoopLagMs: number;
  /** Query cost per second that an operator can spend. */
  readonly graphqlPointsPerSecond: number;
  readonly logLevel: z.output<typeof envSchema>['LOG_LEVEL'];

  /** @param passwordCost not a variable: a lower one is for tests only */
  constructor(
    env: z.output<typeof envSchema>,
    readonly passwordCost: PasswordCost = PASSWORD_COST,
  ) {
    this.isProduction = isProduction(env);
    this.allowInsecure = env.ALLOW_INSECURE ?? new Set();
    this.acceptedInsecurities = splitInsecurities(findInsecurities(env), this.allowInsecure).accepted;
    this.databaseUrl = env.DATABASE_URL;
    this.databaseMaxConnections = env.DATABASE_MAX_CONNECTIONS;
    const [signing = env.SESSION_SECRET, ...accepted] = env.DATABASE_SCOPE_SECRETS ?? [];
    this.databaseScopeSecrets = [signing, ...accepted];
    this.redisConfigUrl = env.REDIS_CONFIG_URL;
    this.redisConfigDurability = env.REDIS_CONFIG_DURABILITY;
    this.redisCountersUrl = env.REDIS_COUNTERS_URL ?? env.REDIS_CONFIG_URL;
    this.host = env.HOST;
    this.port = env.PORT;
    this.metricsPort = env.METRICS_PORT;
    this.metricsHost = env.METRICS_HOST;
    this.drainNoticeMs = env.DRAIN_NOTICE_MS;
    this.tracing = env.TRACING;
    this.publicOrigin = publicUrl(env).origin;
    this.decisionUrl = env.DECISION_URL?.replace(/\/+$/, '');
    const internalUrl = env.DECISION_INTERNAL_URL?.replace(/\/+$/, '') ?? this.decisionUrl;
    this.testRequests =
      internalUrl === undefined || env.DECISION_TOKEN === undefined
        ? undefined
        : { url: internalUrl, token: env.DECISION_TOKEN };
    this.trustedProxyHops = env.TRUSTED_PROXY_HOPS;
    this.sessionSecret = env.SESSION_SECRET;
    this.tokenPepper = env.TOKEN_PEPPER;
    this.tokenPepperVersion = env.TOKEN_PEPPER_VERSION;
    this.policySigningKey = env.POLICY_SIGNING_KEY;
    const [first = { id: SESSION_SEAL_ID, secret: env.SESSION_SECRET }, ...older] =
      env.ENCRYPTION_SECRETS ?? [];
    this.encryptionSecrets = [first, ...older];
    this.mail = mailConfig(env);
    this.webhookAllowedNetworks = env.WEBHOOK_ALLOWED_NETWORKS ?? [];
    this.changeSetApproval = env.CHANGE_SET_APPROVAL;
    this.auditKey = env.AUDIT_KEY ?? env.SESSION_SECRET;
    this.auditHeadsFile = env.AUDIT_HEADS_FILE;
    this.webhookTimeoutMs = env.WEBHOOK_TIMEOUT_MS;
    this.peppers = new Map([...(env.TOKEN_PEPPERS_OLD ?? []), [env.TOKEN_PEPPER_VERSION, env.TOKEN_PEPPER]]);
    this.payments = parsePaymentSettings(env);
    this.signUpTier = env.SIGN_UP_TIER;
    this.undoSeconds = env.UNDO_SECONDS;
    this.worker = env.WORKER;
    this.retention = Object.freeze({
      minuteMs: env.USAGE_MINUTE_KEEP_HOURS * HOUR_MS,
      hourMs: env.USAGE_HOUR_KEEP_DAYS * 24 * HOUR_MS,
      dayMs: env.USAGE_DAY_KEEP_DAYS * 24 * HOUR_MS,
      sampleMs: env.DECISION_SAMPLE_KEEP_DAYS * 24 * HOUR_MS,
      sampleRows: env.DECISION_SAMPLE_MAX_ROWS,
    });
    this.traffic = Object.freeze({
      keepMs: env.TRAFFIC_KEEP_HOURS * HOUR_MS,
      tenantBytes: env.TRAFFIC_TENANT_MEGABYTES * 1_000_000,
      totalBytes: env.TRAFFIC_TOTAL_MEGABYTES * 1_000_000,
    });
    this.usageExport =
      env.USAGE_EXPORT_URL === undefined
        ? undefined
        : { url: env.USAGE_EXPORT_URL, table: env.USAGE_EXPORT_TABLE };
    this.consoleDir = env.CONSOLE_DIR;
    this.graphqlIntrospection = env.GRAPHQL_INTROSPECTION;
    this.maxInFlight = env.GRAPHQL_MAX_IN_FLIGHT;
    this.maxEventLoopLagMs = env.GRAPHQL_MAX_EVENT_LOOP_LAG_MS;
    this.graphqlPointsPerSecond = env.GRAPHQL_POINTS_PER_SECOND;
    this.logLevel = env.LOG_LEVEL;
    Object.freeze(this);
  }
}

function mailConfig(env: z.output<typeof envSchema>): MailConfig {
  const { MAIL_TRANSPORT: transport, MAIL_FROM: from, SMTP_URL: url } = env;
  if (transport !== 'smtp') return transport === 'none' ? { transport } : { transport, from };
  if (url === undefined) throw new ConfigError(['SMTP_URL is required with MAIL_TRANSPORT=smtp']);
  return { transport, from, url };
}

/** All problems of the environment, by variable. Values are omitted: they may be secrets. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';

  constructor(readonly problems: string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

export function loadConfig(env: Env = process.env, passwordCost?: PasswordCost): AppConfig {
  return new AppConfig(parseEnv(envSchema, env), passwordCost);
}

/** @throws ConfigError */
export function loadSetupConfig(env: Env = process.env): {
  config: AppConfig;
  /** Login of the owner of the tables, for migrations. */
  migrationUrl: string;
  /** Default: the admin in the state file. */
  admin: { email: string; password: string } | undefined;
  /** Undefined: no tokens and no sign-in link. */
  stateFile: string | undefined;
  demoSeed: boolean;
  historyDays: number;
} {
  const parsed = parseEnv(setupEnvSchema, env);
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = parsed;
  const hasAdmin = email !== undefined && password !== undefined;
  if (!hasAdmin && (parsed.SETUP_STATE_FILE === undefined || (email ?? password) !== undefined))
    throw new ConfigError([`${email === undefined ? 'ADMIN_EMAIL' : 'ADMIN_PASSWORD'} is not set`]);
  if (parsed.DEMO_SEED && parsed.SETUP_STATE_FILE === undefined)
    throw new ConfigError(['SETUP_STATE_FILE is required with DEMO_SEED=true']);
  return {
    config: new AppConfig(parsed),
    migrationUrl: parsed.DATABASE_MIGRATION_URL ?? parsed.DATABASE_URL,
    admin: hasAdmin ? { email, password } : undefined,
    stateFile: parsed.SETUP_STATE_FILE,
    demoSeed: parsed.DEMO_SEED,
    historyDays: parsed.DEMO_HISTORY_DAYS,
  };
}

function parseEnv<S extends z.ZodObject>(schema: S, environment: Env): z.output<S> {
  const { env, problems: unreadable } = readEnvFiles(schema, environment);
  // Shells and compose files set omitted variables to an empty string.
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const parsed = schema.safeParse(given);
  const wrong = (parsed.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    return name in given ? `${name} ${issue.message}` : `${name} is not set`;
  });
  const missing = missingPaymentVariables(given).map((name) => `${name} is not set`);
  const problems = [...unreadable, ...wrong, ...missing, ...refusedSettings(given)];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new ConfigError(problems);
}

/** Insecure settings that `ALLOW_INSECURE` does not or cannot accept. */
function refusedSettings(given: Env): string[] {
  const readable = Object.entries(envSchema.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(given[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  const env: Partial<z.output<typeof envSchema>> = Object.fromEntries(readable);
  const { problems } = splitInsecurities(findInsecurities(env), env.ALLOW_INSECURE ?? new Set());
  return [...problems, ...findRefusals(env)];
}
