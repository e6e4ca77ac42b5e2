import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  createPrismaClient,
  type MemberRole,
  type OperatorRole,
  type PrismaClient,
} from '@tollgate/database';
import { QuotaStore } from '@tollgate/decision-plane/operate';
import type { LagBound } from '@tollgate/logging';
import {
  createTestDatabase,
  createTestRedis,
  TEST_SCOPE_SECRET,
  type TestDatabase,
} from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { createApp } from '../../src/app.js';
import { AppConfig, loadConfig } from '../../src/config/app-config.js';
import { AuthService, ServiceTokensService } from '../../src/features/identity/index.js';
import { SYSTEM_ACTOR } from '../../src/platform/access/actor.js';
import { newId } from '../../src/platform/ids.js';
import type { Job } from '../../src/platform/jobs/jobs-runner.js';
import type { Logger } from '../../src/platform/log.js';

export const ORIGIN = 'http://tollgate.localhost';
export const PASSWORD = 'correct horse battery staple';

/** Caller of services in tests. */
export const CALLER = { actor: SYSTEM_ACTOR, requestId: newId('request') };

export interface GraphqlAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary responses.
  data: any;
  errors: { message: string; path?: (string | number)[]; extensions: { code: string; requestId: string } }[];
}

/** A running control plane with its own database and Redis. */
export interface TestApp {
  app: NestFastifyApplication;
  config: AppConfig;
  url: string;
  redisUrl: string;
  /** URL of the superuser that owns the tables. */
  ownerUrl: string;
  /** As the owner, who sees all rows. */
  database: PrismaClient;
  /** Sends GraphQL as the owner, or with `headers`. */
  graphql(query: string, variables?: object, headers?: Record<string, string>): Promise<GraphqlAnswer>;
  /** Headers of a new signed-in operator with this role. */
  signIn(role: OperatorRole): Promise<Record<string, string>>;
  /** Headers of a new signed-in member of a tenant. */
  signInMember(tenantId: string, role: MemberRole): Promise<Record<string, string>>;
  /** Headers of a new service token, optionally limited to tenants. */
  bearer(scopes: string[], tenantKeys?: string[]): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

interface Services {
  databaseUrl: string;
  redisUrl: string;
}

/** The least that Argon2 accepts: tests sign in hundreds of people. */
const PASSWORD_COST = { memoryCost: 8, timeCost: 1, parallelism: 1 };

export function testConfig(services: Services, more: Record<string, string> = {}) {
  return loadConfig({ ...testVariables(services), ...more }, PASSWORD_COST);
}

export function testVariables(services: Services): Record<string, string> {
  return {
    DATABASE_URL: services.databaseUrl,
    DATABASE_SCOPE_SECRETS: TEST_SCOPE_SECRET,
    REDIS_CONFIG_URL: services.redisUrl,
    REDIS_CONFIG_DURABILITY: 'best-effort',
    PORT: '0',
    PUBLIC_URL: ORIGIN,
    SESSION_SECRET: 'Bn4Vq8Zs1Lx6Kc3Jw9Hd2Gt7Fr5Yp0Mu',
    TOKEN_PEPPER: 'Ue7Ri2Op9As4Df1Gh6Jk3Lz8Xc5Vb0Nm',
    ENCRYPTION_SECRETS: 'test:Wq3Er8Ty1Ui6Op4As9Df2Gh7Jk5Lz0Xc',
    AUDIT_KEY: 'Mn6Bv1Cx9Zl4Kj7Hg2Fd8Sa3Po5Iu0Yt',
    LOG_LEVEL: 'silent',
    // Tests are not rate limited by each other.
    GRAPHQL_POINTS_PER_SECOND: '100000',
    // A busy machine sheds none of their requests.
    GRAPHQL_MAX_EVENT_LOOP_LAG_MS: '10000',
    GRAPHQL_MAX_IN_FLIGHT: '10000',
  };
}

/** A Redis whose quota checkpoints are restored, so that nodes do not wait for a worker. */
export async function createPolicyRedis(): ReturnType<typeof createTestRedis> {
  const server = await createTestRedis();
  const redis = new Redis(server.url);
  await new QuotaStore(redis).markRestored('test');
  redis.disconnect();
  return server;
}

/** Keeps a scheduled job from running, for tests that do its work step by step. */
export function pauseJob({ app }: TestApp, job: Type<Job>): void {
  Object.assign(app.get(job, { strict: false }), { run: async () => undefined });
}

/**
 * @param more additional environment variables
 * @param logger replaces the silent one
 * @param given replaces the empty database
 * @param lag replaces that of this process
 */
export async function startTestApp(
  more: Record<string, string> = {},
  logger?: Logger,
  given?: TestDatabase,
  lag?: LagBound,
): Promise<TestApp> {
  const [testDatabase, redis] = await Promise.all([given ?? createTestDatabase(), createPolicyRedis()]);
  const config = testConfig({ databaseUrl: testDatabase.url, redisUrl: redis.url }, more);
  const app = await createApp(config, logger, lag);
  await app.listen(config.port, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  const database = createPrismaClient(testDatabase.ownerUrl, { max: 3 });
  const bearer = (scopes: string[], tenantKeys: string[] = []) => issueBearer(app, scopes, tenantKeys);
  const owner = await bearer(['admin']);
  return {
    app,
    config,
    url,
    redisUrl: redis.url,
    ownerUrl: testDatabase.ownerUrl,
    database,
    graphql: (query, variables = {}, headers = owner) => ask(url, query, variables, headers),
    signIn: (role) => signInAs(app, url, role),
    signInMember: (tenantId, role) => signInMemberOf(app, database, url, { tenantId, role }),
    bearer,
    stop: async () => {
      await app.close();
      await database.$disconnect();
      await Promise.all([redis.stop(), testDatabase.drop()]);
    },
  };
}

async function ask(url: string, query: string, variables: object, headers: Record<string, string>) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const body = (await response.json()) as Partial<GraphqlAnswer>;
  return { status: response.status, data: body.data, errors: body.errors ?? [] };
}

async function signInAs(app: NestFastifyApplication, url: string, role: OperatorRole) {
  return signIn(app, url, role, `${role.toLowerCase()}-${newId('user')}@example.com`);
}

async function signInMemberOf(
  app: NestFastifyApplication,
  database: PrismaClient,
  url: string,
  member: { tenantId: string; role: MemberRole },
) {
  const email = `member-${newId('user')}@example.com`;
  const headers = await signIn(app, url, null, email);
  const { id: userId } = await database.user.findUniqueOrThrow({ where: { email } });
  await database.member.create({ data: { id: newId('member'), email, name: 'Member', userId, ...member } });
  return headers;
}

async function signIn(app: NestFastifyApplication, url: string, role: OperatorRole | null, email: string) {
  await app
    .get(AuthService, { strict: false })
    .ensureOperator({ email, name: role ?? 'Member', role, password: PASSWORD });
  const origin = app.get(AppConfig, { strict: false }).publicOrigin;
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return { cookie: cookieOf(response), origin };
}

async function issueBearer(app: NestFastifyApplication, scopes: string[], tenantKeys: string[]) {
  const service = app.get(ServiceTokensService, { strict: false });
  const outcome = await service.create(CALLER, { name: 'test', scopes, tenantKeys });
  if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
  return { authorization: `Bearer ${outcome.value.token}` };
}

/** The cookie of a sign-in response. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
