import { hostname } from 'node:os';
import * as z from 'zod';

const portSchema = z.coerce.number().int().min(0).max(65_535);
const redisUrlSchema = z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' });

/** The environment of this app; a name's default stands beside it, secrets have none. */
export const environmentSchema = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: portSchema.default(4010).describe('Port to listen on; 0: any free one'),
  REDIS_COUNTERS_URL: redisUrlSchema.describe('Redis that holds the counters'),
  REDIS_CONFIG_URL: redisUrlSchema.describe('Redis that holds policy and takes usage'),
  TOKEN_PEPPER: z
    .string()
    .min(32)
    .describe('Secret under which token hashes are made; the control plane has the same'),
  NODE_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .default(`${hostname()}-${process.pid}`.replace(/[^A-Za-z0-9._-]/g, '-').slice(-64))
    .describe('Unique among live nodes'),
  DATA_DIR: z.string().min(1).describe('Folder for the last good policy'),
  DECISION_DEADLINE_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(25)
    .describe('Longest wait for the counters'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('What is logged'),
});

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
  const parsed = environmentSchema.safeParse(environment);
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
    nodeId: env.NODE_ID,
    dataDir: env.DATA_DIR,
    deadlineMs: env.DECISION_DEADLINE_MS,
    logLevel: env.LOG_LEVEL,
  });
}
