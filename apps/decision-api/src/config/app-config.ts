import { hostname } from 'node:os';
import { readEnvFiles } from '@tollgate/contracts/environment';
import {
  findEqualSecrets,
  type Insecurity,
  isLoopbackHost,
  secretWeakness,
  splitInsecurities,
} from '@tollgate/contracts/insecure-settings';
import * as z from 'zod';
import type { TlsFiles } from '../envoy/grpc/tls.js';
import { envSchema } from './env-schema.js';

type Env = z.output<typeof envSchema>;

/** The environment, read and checked once; see `env-schema.ts` for the meaning of each variable. */
export type AppConfig = ReturnType<typeof readConfig>;

/** Parses the environment. @throws Error that names every invalid variable, without its value */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const { env: given, problems: unreadable } = readEnvFiles(envSchema, environment);
  const parsed = envSchema
    .transform((env, context) => ({
      ...env,
      acceptedInsecurities: acceptInsecurities(env, context),
      rlsTls: rlsTlsOf(env, context),
    }))
    .safeParse(Object.fromEntries(Object.entries(given).filter(([, value]) => value)));
  if (!parsed.success || unreadable.length > 0) {
    const invalid = (parsed.error?.issues ?? []).map((issue) => [...issue.path, issue.message].join(': '));
    throw new Error(`The environment is not complete:\n  ${[...unreadable, ...invalid].join('\n  ')}`);
  }
  const env = parsed.data;
  return Object.freeze({
    host: env.HOST,
    port: env.PORT,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    readyWithoutCounters: env.READY_WITHOUT_COUNTERS,
    rlsPort: env.RLS_PORT,
    rlsMappingFile: env.RLS_MAPPING_FILE,
    rlsTls: env.rlsTls,
    rlsTransport: env.RLS_TRANSPORT,
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
    trustedHops:
      env.TRUSTED_PROXIES === undefined ? { count: env.TRUSTED_HOPS } : { networks: env.TRUSTED_PROXIES },
    countersUrl: env.REDIS_COUNTERS_URL,
    configUrl: env.REDIS_CONFIG_URL,
    policyKeys: env.POLICY_PUBLIC_KEYS ?? 'unsigned',
    acceptedInsecurities: env.acceptedInsecurities,
    maxStaleMs: env.POLICY_MAX_STALE_MS,
    onStale: env.POLICY_ON_STALE,
    unknownApis: env.UNKNOWN_APIS,
    keyPeppers: new Map([...(env.TOKEN_PEPPERS_OLD ?? []), [env.TOKEN_PEPPER_VERSION, env.TOKEN_PEPPER]]),
    nodeId: env.NODE_ID ?? `${hostname()}-${process.pid}`.replace(/[^A-Za-z0-9._-]/g, '-').slice(-64),
    dataDir: env.DATA_DIR,
    deadlineMs: env.DECISION_DEADLINE_MS,
    samples: { allowed: env.SAMPLE_ALLOWED_PER_SECOND, denied: env.SAMPLE_DENIED_PER_SECOND },
    logLevel: env.LOG_LEVEL,
  });
}

function acceptInsecurities(env: Env, context: z.RefinementCtx): Insecurity[] {
  const { problems, accepted } = splitInsecurities(findInsecurities(env), env.ALLOW_INSECURE ?? new Set());
  for (const message of problems) context.addIssue({ code: 'custom', message });
  return accepted;
}

/** A missing policy key must not open the node on any host; weak secrets matter only beyond loopback. */
function findInsecurities(env: Env): Insecurity[] {
  const unsigned: Insecurity[] =
    env.POLICY_PUBLIC_KEYS === undefined
      ? [{ setting: 'unsigned-policy', problem: 'POLICY_PUBLIC_KEYS is not set' }]
      : [];
  if (isLoopbackHost(env.HOST)) return unsigned;
  const secrets = [
    ['TOKEN_PEPPER', env.TOKEN_PEPPER] as const,
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
function rlsTlsOf(env: Env, context: z.RefinementCtx): TlsFiles | undefined {
  const { RLS_TLS_CERT_FILE: cert, RLS_TLS_KEY_FILE: key, RLS_TLS_CLIENT_CA_FILE: clientCa } = env;
  if (cert !== undefined && key !== undefined)
    return { cert, key, clientCa, clientCert: env.RLS_TLS_CLIENT_CERT };
  for (const [name, file] of [
    ['RLS_TLS_CERT_FILE', cert],
    ['RLS_TLS_KEY_FILE', key],
  ] as const) {
    if (file === undefined && (cert ?? key ?? clientCa) !== undefined) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is needed beside the other RLS_TLS_ files',
      });
    }
  }
  return undefined;
}
