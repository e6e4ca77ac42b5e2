import { hostname } from 'node:os';
import { envSchema } from './env-schema.js';

/** The environment, read and checked once. */
export interface AppConfig {
  readonly host: string;
  readonly port: number;
  readonly countersUrl: string;
  readonly configUrl: string;
  readonly tokenPepper: string;
  readonly nodeId: string;
  readonly dataDir: string;
  readonly deadlineMs: number;
  readonly logLevel: string;
}

/** Reads the environment. @throws Error that names every variable that is wrong, and none of their values. */
export function readConfig(environment: NodeJS.ProcessEnv): AppConfig {
  const parsed = envSchema.safeParse(environment);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not complete:\n${problems.join('\n')}`);
  }
  const env = parsed.data;
  return Object.freeze({
    host: env.HOST,
    port: env.PORT,
    countersUrl: env.REDIS_COUNTERS_URL,
    configUrl: env.REDIS_CONFIG_URL,
    tokenPepper: env.TOKEN_PEPPER,
    nodeId: env.NODE_ID ?? `${hostname()}-${process.pid}`.replace(/[^A-Za-z0-9._-]/g, '-').slice(-64),
    dataDir: env.DATA_DIR,
    deadlineMs: env.DECISION_DEADLINE_MS,
    logLevel: env.LOG_LEVEL,
  });
}
