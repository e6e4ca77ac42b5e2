import { hostname } from 'node:os';
import { readEnvFiles } from '@tollgate/contracts/environment';
import {
  findEqualSecrets,
  type Insecurity,
  isLoopbackHost,
  secretWeakness,
  splitInsecurities,
} from '@tollgate/contracts/insecure-settings';
import { StartError } from '@tollgate/logging';
import * as z from 'zod';
import type { TlsFiles } from '../envoy/grpc/tls.js';
import { envSchema } from './env-schema.js';

type Env = z.output<typeof envSchema>;

/** The environment, read and checked once; see `env-schema.ts` for the meaning of each variable. */
export type AppConfig = ReturnType<typeof readConfig>;

/** Parses the environment. @throws StartError that names every invalid variable, without its value */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const { env: set, problems: unreadable } = readEnvFiles(envSchema, environment);
  const given = Object.fromEntries(Object.entries(set).filter(([, value]) => value));
  const parsed = envSchema.safeParse(given);
  const invalid = (parsed.error?.issues ?? []).map(({ path: [name = ''], message }) =>
    given[String(name)] ? `${String(name)}: ${message}` : `${String(name)} is not set`,
  );
  // Of the valid variables, so that all problems are reported at once.
  const valid = Object.entries(envSchema.shape).flatMap(([name, schema]) => {
    const one = schema.safeParse(given[name]);
    return one.success ? [[name, one.data]] : [];
  });
  const checked: Partial<Env> = Object.fromEntries(valid);
  const insecurities = findInsecurities(checked, given.POLICY_PUBLIC_KEYS !== undefined);
  const { problems: insecure, accepted } = splitInsecurities(
    insecurities,
    checked.ALLOW_INSECURE ?? new Set(),
  );
  const problems = [...unreadable, ...invalid, ...insecure, ...missingTlsFiles(checked)];
  if (!parsed.success || problems.length > 0)
    throw new StartError(`Invalid configuration:\n  ${problems.join('\n  ')}`);
  const env = parsed.data;
  return Object.freeze({
    host: env.HOST,
    port: env.PORT,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    readyWithoutCounters: env.READY_WITHOUT_COUNTERS === 'true',
    rlsPort: env.RLS_PORT,
    rlsMappingFile: env.RLS_MAPPING_FILE,
    rlsTls: rlsTlsOf(env),
    rlsReflection: env.RLS_REFLECTION === 'on',
    rlsLimits: {
      maxConnections: env.RLS_MAX_CONNECTIONS,
      maxConnectionsPerAddress: env.RLS_MAX_CONNECTIONS_PER_ADDRESS,
    },
    processes: env.PROCESSES,
    maxInFlight: env.MAX_IN_FLIGHT,
    rlsMaxInFlight: env.RLS_MAX_IN_FLIGHT,
    maxEventLoopLagMs: env.MAX_EVENT_LOOP_LAG_MS,
    drainNoticeMs: env.DRAIN_NOTICE_MS,
    tracing: env.TRACING,
    trustedHops:
      env.TRUSTED_PROXIES === undefined ? { count: env.TRUSTED_HOPS } : { networks: env.TRUSTED_PROXIES },
    countersUrl: env.REDIS_COUNTERS_URL,
    configUrl: env.REDIS_CONFIG_URL,
    policyKeys: env.POLICY_PUBLIC_KEYS ?? 'unsigned',
    acceptedInsecurities: accepted,
    maxStaleMs: env.POLICY_MAX_STALE_MS,
    onStale: env.POLICY_ON_STALE,
    unknownApis: env.UNKNOWN_APIS,
    keyPeppers: new Map([...(env.TOKEN_PEPPERS_OLD ?? []), [env.TOKEN_PEPPER_VERSION, env.TOKEN_PEPPER]]),
    denialLinks:
      env.CONSOLE_URL === undefined
        ? undefined
        : {
            consoleUrl: env.CONSOLE_URL,
            pepper: { version: env.TOKEN_PEPPER_VERSION, secret: env.TOKEN_PEPPER },
          },
    nodeId: env.NODE_ID ?? `${hostname()}-${process.pid}`.replace(/[^A-Za-z0-9._-]/g, '-').slice(-64),
    dataDir: env.DATA_DIR,
    deadlineMs: env.DECISION_DEADLINE_MS,
    samples: { allowed: env.SAMPLE_ALLOWED_PER_SECOND, denied: env.SAMPLE_DENIED_PER_SECOND },
    recordTraffic: env.RECORD_TRAFFIC === 'on',
    logLevel: env.LOG_LEVEL,
  });
}

/** A missing policy key must not open the node on any host; weak secrets matter only beyond loopback. */
function findInsecurities(env: Partial<Env>, hasPolicyKeys: boolean): Insecurity[] {
  const unsigned: Insecurity[] = hasPolicyKeys
    ? []
    : [{ setting: 'unsigned-policy', problem: 'POLICY_PUBLIC_KEYS is not set' }];
  if (env.HOST !== undefined && isLoopbackHost(env.HOST)) return unsigned;
  const secrets = [
    ...(env.TOKEN_PEPPER === undefined ? [] : [['TOKEN_PEPPER', env.TOKEN_PEPPER] as const]),
    ...[...(env.TOKEN_PEPPERS_OLD?.values() ?? [])].map((secret) => ['TOKEN_PEPPERS_OLD', secret] as const),
  ];
  const weak = secrets.flatMap(([name, secret]): Insecurity[] => {
    const weakness = secretWeakness(secret);
    return weakness === undefined ? [] : [{ setting: 'weak-secrets', problem: `${name} ${weakness}` }];
  });
  const equal = findEqualSecrets(secrets).map(
    (names): Insecurity => ({ setting: 'shared-secrets', problem: `${names} are equal` }),
  );
  return [...unsigned, ...weak, ...equal];
}

/** An incomplete TLS configuration is an error: the port must not fall back to plaintext. */
function missingTlsFiles(env: Partial<Env>): string[] {
  const { RLS_TLS_CERT_FILE: cert, RLS_TLS_KEY_FILE: key, RLS_TLS_CLIENT_CA_FILE: clientCa } = env;
  if ((cert ?? key ?? clientCa) === undefined) return [];
  return Object.entries({ RLS_TLS_CERT_FILE: cert, RLS_TLS_KEY_FILE: key }).flatMap(([name, file]) =>
    file === undefined ? [`${name}: is needed beside the other RLS_TLS_ files`] : [],
  );
}

function rlsTlsOf(env: Env): TlsFiles | undefined {
  const { RLS_TLS_CERT_FILE: cert, RLS_TLS_KEY_FILE: key, RLS_TLS_CLIENT_CA_FILE: clientCa } = env;
  if (cert === undefined || key === undefined) return undefined;
  return { cert, key, clientCa, clientCert: env.RLS_TLS_CLIENT_CERT };
}
