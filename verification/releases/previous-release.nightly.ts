import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeJournalSchema, nodeReportSchema, usageFrameSchema } from '@tollgate/contracts';
import { deployDatabase, runStatement, withDatabase } from '@tollgate/database';
import { DecisionPlane } from '@tollgate/decision-plane';
import { applicationUrl, createTestDatabase, createTestRedis, TEST_SCOPE_SECRET } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  describeColumns,
  findBreaks,
  findRejected,
  hashMigrations,
  loadRows,
  MIGRATIONS,
  readRecording,
} from './recording.ts';

const recording = readRecording();
const title = `release ${recording.version}`;
let home: string;

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-previous-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe(`processes of ${title} on the schema of this release`, () => {
  let empty: Awaited<ReturnType<typeof createTestDatabase>>;
  let before: Awaited<ReturnType<typeof describeColumns>>;
  let upgraded: string;

  beforeAll(async () => {
    empty = await createTestDatabase();
    upgraded = withDatabase(empty.ownerUrl, 'previous_release');
    const deploy = (migrationsDir: string) =>
      deployDatabase({
        ownerUrl: upgraded,
        appUrl: applicationUrl(upgraded),
        migrationsDir,
        scopeSecrets: [TEST_SCOPE_SECRET],
      });
    const released = path.join(home, 'migrations');
    mkdirSync(released);
    for (const name of ['migration_lock.toml', ...Object.keys(recording.migrations)])
      cpSync(path.join(MIGRATIONS, name), path.join(released, name), { recursive: true });
    await deploy(released);
    before = await describeColumns(upgraded);
    await loadRows(upgraded, recording.rows);
    await deploy(MIGRATIONS);
  });
  afterAll(async () => {
    await runStatement(empty.ownerUrl, 'DROP DATABASE IF EXISTS previous_release WITH (FORCE)', 'postgres');
    await empty.drop();
  });

  it('applied the same migrations', () => {
    expect(hashMigrations()).toMatchObject(recording.migrations);
  });

  it('find the types they know, and need no other columns', async () => {
    expect(findBreaks(before, await describeColumns(upgraded))).toEqual([]);
  });

  it('have valid statements', async () => {
    expect(recording.statements.length).toBeGreaterThan(500);
    expect(await findRejected(upgraded, recording.statements)).toEqual([]);
  });

  it.each([
    ['RENAME COLUMN "name" TO "title"', /^column .*name.* does not exist/],
    [
      'ADD "region" text NOT NULL DEFAULT \'eu\'; ALTER "region" DROP DEFAULT',
      /^tenant.region is required now/,
    ],
    ['ALTER "time_zone" TYPE varchar(900)', /^tenant.time_zone was text, is character varying/],
    ['RENAME TO "customer"', /^relation .*tenant.* does not exist/],
  ])('would not work after ALTER TABLE "tenant" %s', async (changes, problem) => {
    const copy = withDatabase(upgraded, 'previous_release_copy');
    await runStatement(
      upgraded,
      'CREATE DATABASE previous_release_copy TEMPLATE previous_release',
      'postgres',
    );
    for (const change of changes.split('; ')) await runStatement(copy, `ALTER TABLE "tenant" ${change}`);
    const breaks = findBreaks(before, await describeColumns(copy));
    const rejected = await findRejected(copy, recording.statements);
    await runStatement(upgraded, 'DROP DATABASE previous_release_copy', 'postgres');
    const problems = [...breaks, ...rejected.map(({ error }) => error)];
    expect(problems).toContainEqual(expect.stringMatching(problem));
  });
});

describe(`this release and records of ${title}`, () => {
  let redis: Awaited<ReturnType<typeof createTestRedis>>;

  beforeAll(async () => {
    redis = await createTestRedis();
  });
  afterAll(() => redis.stop());

  const start = (dataDir: string) =>
    DecisionPlane.start({
      countersUrl: redis.url,
      configUrl: redis.url,
      policyKeys: [recording.policyKey],
      nodeId: 'node-1',
      version: 'test',
      dataDir,
      deadlineMs: 5000,
    });
  const { revision } = JSON.parse(recording.nodeReports[0] ?? '');

  it('counts usage, journal and reports of its nodes', () => {
    const parsed = [
      ...recording.usageFrames.map((text) => usageFrameSchema.safeParse(JSON.parse(text))),
      ...recording.journalEntries.map((text) => nodeJournalSchema.safeParse(JSON.parse(text))),
      ...recording.nodeReports.map((text) => nodeReportSchema.safeParse(JSON.parse(text))),
    ];
    expect(parsed.filter(({ success }) => !success)).toEqual([]);
    expect(recording.usageFrames.length * recording.journalEntries.length).toBeGreaterThan(0);
  });

  it('starts with its policy on disk', async () => {
    const dataDir = path.join(home, 'data');
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, 'last-good-policy.json'), recording.lastGoodPolicy);
    const plane = await start(dataDir);
    expect(plane.revision).toBe(revision);
    await plane.close();
  });

  it('decides by its policy in Redis', async () => {
    const client = new Redis(redis.url);
    await client.mset(recording.policy);
    client.disconnect();
    const plane = await start(path.join(home, 'empty'));
    expect(plane.revision).toBe(revision);
    const tenants = Object.keys(recording.policy).flatMap(
      (key) => /^tg:policy:tenant:(.*)$/.exec(key)?.[1] ?? [],
    );
    const { rows } = JSON.parse(recording.usageFrames[0] ?? '');
    for (const tenant of tenants)
      expect(await plane.limit({ tenant, api: rows[0].api, operation: rows[0].operation })).toMatchObject({
        revision,
        degraded: false,
      });
    await plane.close();
  });
});
