import { GraphQLSchemaHost } from '@nestjs/graphql';
import { isNightly } from '@tollgate/test-kit';
import type { FastifyRequest } from 'fastify';
import { buildSchema, type GraphQLSchema } from 'graphql/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abilityOf } from '../src/platform/access/ability.js';
import { type Actor, ActorSource } from '../src/platform/access/actor.js';
import type { Permission } from '../src/platform/access/permissions.js';
import type { ApiError } from '../src/platform/api-error.js';
import { createGraphqlContext } from '../src/platform/graphql/context.js';
import { createSourceEventStream, parse } from '../src/platform/graphql/graphql-js.js';
import { buildSchemaText } from '../src/schema-text.js';
import { ACCESS_TABLE } from './matrix/access-table.js';
import { documentFor, type Operation, operationsOf, type Values } from './matrix/documents.js';
import { type Identity, makeBoundaryTokens, makeIdentities } from './matrix/identities.js';
import { ROUTE_TABLE, routesOf, ruleOf } from './matrix/route-table.js';
import { signInPerson } from './support/people.js';
import { createPolicy } from './support/policy-factory.js';
import { type GraphqlAnswer, startTestApp, type TestApp } from './support/test-app.js';

const AT_ONCE = 6;
const CANARY = 'canary';

/** Identities that the matrix tries with every operation. */
const ALWAYS = ['nobody', 'a token of one scope'];

/** Callers who must not learn whether a tenant exists. */
const STRANGERS = ["other's owner", 'a removed member', 'a token for other alone'];

let app: TestApp;
let schema: GraphQLSchema;
let operations: Operation[];
let identities: Identity[];
/** By permission and where it is required. */
const boundaryTokens = new Map<string, Identity[]>();

beforeAll(async () => {
  // Thousands of requests: the limits of the API are tested elsewhere.
  app = await startTestApp({ GRAPHQL_POINTS_PER_SECOND: '1000000', MAIL_TRANSPORT: 'mailbox' });
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantUpdate(input: { tenantKey: "acme", name: "canary inc", expectedVersion: 1 }) { changeId } }',
  );
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
  operations = operationsOf(buildSchema(await buildSchemaText()));
  ({ schema } = app.app.get(GraphQLSchemaHost, { strict: false }));
  identities = await makeIdentities(app);
  for (const rule of new Set([...Object.values(ACCESS_TABLE), ...routesOf(app).map(ruleOf)])) {
    const boundary = boundaryOf(rule ?? '');
    if (boundary !== undefined && !boundaryTokens.has(boundary.name))
      boundaryTokens.set(
        boundary.name,
        await makeBoundaryTokens(app, boundary.permission, boundary.tenantKey),
      );
  }
  await fillAcme();
});

afterAll(() => app.stop());

/** Creates one object of each kind in a tenant. */
async function fillAcme(): Promise<void> {
  const { headers } = await signInPerson(app, { members: { acme: 'OWNER' } });
  const run = async (text: string) => {
    const { data, errors } = await app.graphql(
      `mutation { result: ${text} { userErrors { code message } } }`,
      {},
      headers,
    );
    expect([...errors, ...(data?.result.userErrors ?? [])], text).toEqual([]);
  };
  await run('apiKeyCreate(input: { tenantKey: "acme", name: "canary key" })');
  await run('memberInvite(input: { tenantKey: "acme", email: "canary@example.com", role: VIEWER })');
  await run(
    'webhookEndpointCreate(input: { tenantKey: "acme", url: "https://canary.example.com/hook", events: [] })',
  );
}

const argumentsFor = (tenantKey: string, ids: Values = {}): Values => ({
  tenantKey,
  tenant: tenantKey,
  ...ids,
  dryRun: true,
});

/** `tenant(key:)` is the only operation with another argument name. */
function valuesOf({ name }: Operation, tenantKey: string, ids: Values = {}): Values {
  const values = argumentsFor(tenantKey, ids);
  return name === 'Query.tenant' ? { ...values, key: tenantKey } : values;
}

async function ask(
  operation: Operation,
  values: Values,
  headers: Record<string, string>,
  depth = 1,
): Promise<GraphqlAnswer> {
  const { query, variables } = documentFor(operation, values, depth);
  return operation.kind === 'subscription'
    ? subscribe(query, variables, headers)
    : app.graphql(query, variables, headers);
}

/** Subscribes without HTTP, where a permitted stream stays silent; `streams.e2e.ts` tests the transport. */
async function subscribe(
  query: string,
  variableValues: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<GraphqlAnswer> {
  const contextValue = createGraphqlContext({ headers } as FastifyRequest);
  const stream = await createSourceEventStream({
    schema,
    document: parse(query),
    contextValue,
    variableValues,
  });
  if (Symbol.asyncIterator in stream) {
    await stream[Symbol.asyncIterator]().return?.();
    return { status: 200, data: null, errors: [] };
  }
  const codes = (stream.errors ?? []).map(({ originalError }) => (originalError as Partial<ApiError>).code);
  const errors = codes.map((code) => ({ extensions: { code } }));
  return { status: 200, data: null, errors: errors as GraphqlAnswer['errors'] };
}

const REFUSALS = ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND'] as const;
type Verdict = (typeof REFUSALS)[number] | 'passed';

const verdictOf = ({ errors }: GraphqlAnswer): Verdict =>
  REFUSALS.find((code) => code === errors[0]?.extensions?.code) ?? 'passed';

function expected(
  rule: string,
  { known, isToken, isOfTenants, everywhere, inTenant }: Identity,
  tenantKey: string,
): Verdict {
  if (rule === 'anyone') return 'passed';
  if (!known) return 'UNAUTHENTICATED';
  if (rule === 'signed in')
    return everywhere.length > 0 || Object.keys(inTenant).length > 0 ? 'passed' : 'FORBIDDEN';
  if (rule.startsWith('people with '))
    return isToken !== true && everywhere.includes(rule.slice('people with '.length) as Permission)
      ? 'passed'
      : 'FORBIDDEN';
  if (rule.startsWith('people, or ') && isToken !== true) return 'passed';
  const [permission, argument] = rule.replace('people, or ', '').split(' in ');
  const inThese =
    argument === 'some tenant' ? Object.values(inTenant).flat() : argument && (inTenant[tenantKey] ?? []);
  const having: readonly string[] = [...everywhere, ...(inThese || [])];
  if (having.includes(permission ?? '')) return 'passed';
  const isForeign = isOfTenants === true && argument !== 'some tenant' && inTenant[tenantKey] === undefined;
  return argument !== undefined && isForeign ? 'NOT_FOUND' : 'FORBIDDEN';
}

/** The permission of a rule and where tokens hold it; undefined if the rule requires none of tokens. */
function boundaryOf(rule: string) {
  if (['', 'anyone', 'signed in'].includes(rule) || rule.startsWith('people with ')) return undefined;
  const [permission = '', argument] = rule.replace('people, or ', '').split(' in ');
  const tenantKey = argument === undefined ? undefined : 'acme';
  return { name: `${permission} in ${tenantKey ?? 'all'}`, permission: permission as Permission, tenantKey };
}

interface Cell<T> {
  subject: T;
  rule: string;
  identity: Identity;
}

/**
 * Each subject with nobody and the tokens at the boundary of its rule, and one subject per rule with each identity;
 * nightly, each subject with each identity.
 */
function cellsOf<T>(subjects: readonly T[], ruleOfSubject: (subject: T) => string): Cell<T>[] {
  const seen = new Set<string>();
  return subjects.flatMap((subject) => {
    const rule = ruleOfSubject(subject);
    const isFirst = !seen.has(rule);
    seen.add(rule);
    const chosen = isNightly() || isFirst ? identities : identities.filter(({ who }) => ALWAYS.includes(who));
    const tokens = boundaryTokens.get(boundaryOf(rule)?.name ?? '') ?? [];
    return [...chosen, ...tokens].map((identity) => ({ subject, rule, identity }));
  });
}

/** Runs `work` on each item, with limited concurrency. */
async function each<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> {
  const rest = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
    }),
  );
}

describe('S1: the tenant matrix', () => {
  it('has a row for every operation of the schema, and no others', () => {
    expect(Object.keys(ACCESS_TABLE).sort()).toEqual(operations.map(({ name }) => name).sort());
  });

  it('holds for every operation and every kind of caller', { timeout: 1_200_000 }, async () => {
    const wrong: string[] = [];
    const cells = cellsOf(operations, ({ name }) => ACCESS_TABLE[name] ?? '');
    await each(cells, async ({ subject: operation, rule, identity }) => {
      const answer = await ask(operation, valuesOf(operation, 'acme'), identity.headers);
      const wanted = expected(rule, identity, 'acme');
      const got = verdictOf(answer);
      if (got !== wanted) wrong.push(`${operation.name} by ${identity.who}: ${got}, not ${wanted}`);
      if (answer.errors.some(({ extensions }) => extensions?.code === 'INTERNAL'))
        wrong.push(`${operation.name} by ${identity.who}: INTERNAL`);
    });
    console.log(`tenant matrix: ${cells.length} cells, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
  });

  it('returns the same for another tenant as for one that does not exist', async () => {
    const strangers = identities.filter(({ who }) => STRANGERS.includes(who));
    expect(strangers).toHaveLength(STRANGERS.length);
    const naming = operations.filter(({ name }) => / in (?!some tenant)/.test(ACCESS_TABLE[name] ?? ''));
    const differing: string[] = [];
    const pairs = naming.flatMap((operation, index) =>
      strangers
        .filter((_, position) => isNightly() || position === index % strangers.length)
        .map((stranger) => ({ operation, stranger })),
    );
    await each(pairs, async ({ operation, stranger }) => {
      const [real, missing] = await Promise.all(
        ['acme', 'nosuch'].map(async (key) =>
          withoutIds(await ask(operation, valuesOf(operation, key), stranger.headers)),
        ),
      );
      if (real?.replaceAll('acme', 'nosuch') !== missing || !missing?.includes('"code":"NOT_FOUND"'))
        differing.push(`${operation.name} by ${stranger.who}: ${real} / ${missing}`);
    });
    expect(differing).toEqual([]);
  });

  it('returns the same for an object of another tenant as for one that does not exist', async () => {
    const stranger = identities.find(({ who }) => who === "other's owner") as Identity;
    const byId = operations.filter(({ name }) => ACCESS_TABLE[name] === 'signed in');
    const differing: string[] = [];
    for (const id of await idsOfAcme()) {
      const missing = id.replace(/.{6}$/, '000000');
      await each(byId, async (operation) => {
        const [real, none] = await Promise.all(
          [id, missing].map(async (one) =>
            withoutIds(
              await ask(
                operation,
                { ...argumentsFor('other'), id: one, endpointId: one, purchaseId: one },
                stranger.headers,
              ),
            ),
          ),
        );
        if (real?.replaceAll(id, missing) !== none)
          differing.push(`${operation.name} ${id}: ${real} / ${none}`);
      });
    }
    expect(differing).toEqual([]);
  });
});

describe('S1: routes', () => {
  it('are all listed, and each requires its permission', async () => {
    const routes = routesOf(app);
    expect(routes.filter((route) => ruleOf(route) === undefined)).toEqual([]);
    expect(Object.keys(ROUTE_TABLE).filter((route) => !routes.includes(route))).toEqual([]);
    const asking = routes.filter((route) => ruleOf(route) !== 'anyone');
    const wrong: string[] = [];
    await each(
      cellsOf(asking, (route) => ruleOf(route) ?? ''),
      async ({ subject: route, rule, identity }) => {
        const [method = '', path = ''] = route.split(' ');
        const wanted = expected(rule, identity, 'acme');
        const response = await fetch(`${app.url}${path}?tenant=acme`, { method, headers: identity.headers });
        await response.body?.cancel();
        const refusals: Record<number, Verdict> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };
        // A permitted request may also find nothing.
        if (wanted !== 'passed') refusals[404] = 'NOT_FOUND';
        const got = refusals[response.status] ?? 'passed';
        if (got !== wanted) wrong.push(`${route} by ${identity.who}: ${response.status}, not ${wanted}`);
      },
    );
    expect(wrong).toEqual([]);
  });
});

describe('S1: row-level security alone, with the application checks disabled', () => {
  it('hides rows of other tenants in every query', async () => {
    const other = await app.database.tenant.findUniqueOrThrow({ where: { key: 'other' } });
    const actors = app.app.get(ActorSource, { strict: false });
    const real = actors.findActor.bind(actors);
    // All permissions, but the database scope of the other tenant.
    const impostor: Actor = {
      kind: 'USER',
      id: 'usr_impostor',
      label: 'impostor',
      name: 'Impostor',
      email: 'impostor@example.com',
      role: null,
      memberships: [{ tenantId: other.id, tenantKey: 'other', tenantName: 'Other', role: 'OWNER' }],
      ability: abilityOf('OWNER', []),
    };
    // Tokens belong to operators, who may know the tenants of a token.
    const queries = operations.filter(({ kind, name }) => kind === 'query' && name !== 'Query.serviceTokens');
    const ids = await idsOfAcme();
    const leaks: string[] = [];
    let shown = 0;
    const look = async (report: (name: string, text: string) => void) => {
      await each(queries, async (operation) => {
        for (const id of operation.field.args.some(({ name }) => name === 'id') ? ids : ['none']) {
          const answer = await ask(operation, valuesOf(operation, 'acme', { id }), {}, 3);
          const text = JSON.stringify(answer.data ?? null);
          if (text.includes(CANARY) || text.includes('"acme"')) report(operation.name, text);
        }
      });
    };
    try {
      actors.findActor = async () => impostor;
      await look((name, text) => leaks.push(`${name}: ${text.slice(0, 300)}`));
      // The same queries with full visibility, to show that they return rows which could leak.
      actors.findActor = async () => ({ ...impostor, role: 'OWNER' });
      await look(() => {
        shown += 1;
      });
    } finally {
      actors.findActor = real;
    }
    expect(leaks).toEqual([]);
    expect(shown).toBeGreaterThan(5);
  });
});

/** Ids of all rows with the `tenant_id` of acme. */
async function idsOfAcme(): Promise<string[]> {
  const { id } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
  const tables = await app.database.$queryRaw<{ name: string }[]>`
    SELECT t.table_name AS "name" FROM information_schema.columns t
    JOIN information_schema.columns i ON i.table_name = t.table_name AND i.table_schema = 'public' AND i.column_name = 'id' AND i.data_type = 'text'
    WHERE t.table_schema = 'public' AND t.column_name = 'tenant_id'`;
  const ids = [id];
  for (const { name } of tables) {
    const rows = await app.database.$queryRawUnsafe<{ id: string }[]>(
      `SELECT "id" FROM "${name}" WHERE "tenant_id" = $1 LIMIT 2`,
      id,
    );
    ids.push(...rows.map((row) => row.id));
  }
  return ids;
}

function withoutIds(answer: GraphqlAnswer): string {
  return JSON.stringify(answer).replaceAll(/"requestId":"[^"]*"/g, '"requestId":""');
}
