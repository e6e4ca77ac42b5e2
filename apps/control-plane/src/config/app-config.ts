import {
  type InsecureSetting,
  type Insecurity,
  splitInsecurities,
} from '@tollgate/contracts/insecure-settings';
import type { Peppers } from '@tollgate/contracts/service-token';
import type * as z from 'zod';
import { envSchema, setupEnvSchema } from './env-schema.js';
import { findInsecurities, findRefusals, isProduction, publicUrl, SESSION_SEAL_ID } from './insecurities.js';
import { missingPaymentVariables, type PaymentSettings, parsePaymentSettings } from './payment-variables.js';

/** How long node reports are kept. */
export interface RetentionSettings {
  readonly minuteMs: number;
  readonly hourMs: number;
  readonly dayMs: number;
  readonly sampleMs: number;
  readonly sampleRows: number;
}

const HOUR_MS = 3_600_000;

type Env = Record<string, string | undefined>;

export interface EncryptionSecret {
  id: string;
  secret: string;
}

/** How mail leaves: not at all, into the mailbox page, or through a server. */
export type MailConfig =
  | { transport: 'none' }
  | { transport: 'mailbox'; from: string }
  | { transport: 'smtp'; from: string; url: string };

/** The settings of one process: read once, frozen, and the same everywhere. */
export class AppConfig {
  readonly databaseUrl: string;
  readonly databaseMaxConnections: number;
  /** The first signs whose rows a transaction may see; the database accepts all. */
  readonly databaseScopeSecrets: readonly [string, ...string[]];
  /** Jobs, policy and the usage stream. */
  readonly redisConfigUrl: string;
  readonly redisConfigDurability: 'required' | 'best-effort';
  readonly redisCountersUrl: string;
  readonly host: string;
  readonly port: number;
  /** Origin of the console, without a trailing slash. */
  readonly publicOrigin: string;
  /** Whether `PUBLIC_URL` is not loopback: then insecure settings are refused. */
  readonly isProduction: boolean;
  /** The names in `ALLOW_INSECURE`. */
  readonly allowInsecure: ReadonlySet<InsecureSetting>;
  /** Insecure settings of this environment that `ALLOW_INSECURE` accepts. */
  readonly acceptedInsecurities: readonly Insecurity[];
  /** Where services and tenants reach the decision API, without a trailing slash; undefined: not said. */
  readonly decisionUrl: string | undefined;
  readonly trustedProxyHops: number;
  readonly sessionSecret: string;
  /** Under which new hashes of tokens are made. */
  readonly tokenPepper: string;
  readonly tokenPepperVersion: number;
  /** Undefined: policy is published unsigned. */
  readonly policySigningKey: string | undefined;
  /** The first seals, all open. */
  readonly encryptionSecrets: readonly [EncryptionSecret, ...EncryptionSecret[]];
  readonly mail: MailConfig;
  readonly webhookAllowedNetworks: readonly string[];
  /** Whether a second person has to approve a change set. */
  readonly changeSetApproval: 'none' | 'required';
  /** Secret from which the key for signing audit heads is derived. */
  readonly auditKey: string;
  readonly auditHeadsFile: string | undefined;
  readonly webhookTimeoutMs: number;
  /** Under which hashes are checked, by version, the newest included. */
  readonly peppers: Peppers;
  readonly payments: PaymentSettings;
  /** Tier of tenants created by sign-up; undefined disables sign-up. */
  readonly signUpTier: string | undefined;
  readonly worker: 'inline' | 'separate';
  readonly retention: RetentionSettings;
  readonly consoleDir: string | undefined;
  readonly graphqlIntrospection: boolean;
  /** Query cost that an operator may spend each second in the long run. */
  readonly graphqlPointsPerSecond: number;
  readonly logLevel: z.output<typeof envSchema>['LOG_LEVEL'];

  constructor(env: z.output<typeof envSchema>) {
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
    this.publicOrigin = publicUrl(env).origin;
    this.decisionUrl = env.DECISION_URL?.replace(/\/+$/, '');
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
    this.worker = env.WORKER;
    this.retention = Object.freeze({
      minuteMs: env.USAGE_MINUTE_KEEP_HOURS * HOUR_MS,
      hourMs: env.USAGE_HOUR_KEEP_DAYS * 24 * HOUR_MS,
      dayMs: env.USAGE_DAY_KEEP_DAYS * 24 * HOUR_MS,
      sampleMs: env.DECISION_SAMPLE_KEEP_DAYS * 24 * HOUR_MS,
      sampleRows: env.DECISION_SAMPLE_MAX_ROWS,
    });
    this.consoleDir = env.CONSOLE_DIR;
    this.graphqlIntrospection = env.GRAPHQL_INTROSPECTION;
    this.graphqlPointsPerSecond = env.GRAPHQL_POINTS_PER_SECOND;
    this.logLevel = env.LOG_LEVEL;
    Object.freeze(this);
  }
}

function mailConfig(env: z.output<typeof envSchema>): MailConfig {
  const { MAIL_TRANSPORT: transport, MAIL_FROM: from, SMTP_URL: url } = env;
  if (transport !== 'smtp') return transport === 'none' ? { transport } : { transport, from };
  if (url === undefined) throw new ConfigError(['SMTP_URL is not set, which MAIL_TRANSPORT=smtp needs']);
  return { transport, from, url };
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
  /** The login that migrates: the owner of the tables. */
  migrationUrl: string;
  stateFile: string;
  demoSeed: boolean;
} {
  const parsed = parseEnv(setupEnvSchema, env);
  return {
    config: new AppConfig(parsed),
    migrationUrl: parsed.DATABASE_MIGRATION_URL ?? parsed.DATABASE_URL,
    stateFile: parsed.SETUP_STATE_FILE,
    demoSeed: parsed.DEMO_SEED,
  };
}

function parseEnv<S extends z.ZodObject>(schema: S, env: Env): z.output<S> {
  // Shells and compose files set a variable to nothing where they mean to leave it out.
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const parsed = schema.safeParse(given);
  const wrong = (parsed.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    return name in given ? `${name} ${issue.message}` : `${name} is not set`;
  });
  const missing = missingPaymentVariables(given).map((name) => `${name} is not set`);
  const problems = [...wrong, ...missing, ...refusedSettings(given)];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new ConfigError(problems);
}

/** Insecure settings among the valid variables: those that `ALLOW_INSECURE` does not name, and those that it cannot name. */
function refusedSettings(given: Env): string[] {
  const readable = Object.entries(envSchema.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(given[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  const env: Partial<z.output<typeof envSchema>> = Object.fromEntries(readable);
  const { problems } = splitInsecurities(findInsecurities(env), env.ALLOW_INSECURE ?? new Set());
  return [...problems, ...findRefusals(env)];
}
