// @module-tag postgresql-15
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployDatabase, runStatement, withDatabase, withLogin } from '@tollgate/database';
import { type EmbeddedPostgres, startPostgres } from '@tollgate/embedded';
import { createTestDatabase, selfSignedCertificate, TEST_SCOPE_SECRET } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const ENTRY = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

let home: string;
let postgres: EmbeddedPostgres;
let owner: string;
let app: TestApp;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-backup-'));
  const { cert, key } = selfSignedCertificate();
  const [certFile, keyFile] = [path.join(home, 'cert.pem'), path.join(home, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  postgres = await startPostgres({
    dataDir: path.join(home, 'postgres'),
    durable: false,
    programs: 'PATH', // has pg_dump, unlike that from npm
    settings: ['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`],
  });
  owner = await newOwner('tollgate', 'CREATEROLE');
  const url = withLogin(owner, 'app', 'secret');
  await deployDatabase({
    ownerUrl: owner,
    appUrl: url,
    migrationsDir: MIGRATIONS,
    scopeSecrets: [TEST_SCOPE_SECRET],
  });
  const drop = async () => undefined;
  app = await startTestApp({}, undefined, { url, ownerUrl: postgres.databaseUrl('tollgate'), drop });
  await createPolicy(app);
});
afterAll(async () => {
  await app?.stop();
  await postgres?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** A login and the URL of its database, which does not exist yet, with TLS. */
async function newOwner(name: string, attributes = ''): Promise<string> {
  await runStatement(postgres.url, `CREATE ROLE ${name} LOGIN PASSWORD 'secret' CREATEDB ${attributes}`);
  const url = `${postgres.databaseUrl(name)}?sslmode=verify-full&sslrootcert=${path.join(home, 'cert.pem')}`;
  return withLogin(url, name, 'secret');
}

/** Runs the built command. */
function tollgate(url: string, args: string[], searchPath = process.env.PATH) {
  const env = { PATH: searchPath, DATABASE_MIGRATION_URL: url };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [ENTRY, ...args], { env, cwd: home }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

describe('tollgate backup and restore', () => {
  it('writes files that only their owner reads, also beside a remainder of a failed backup', async () => {
    writeFileSync(path.join(home, 'private.dump.partial'), '', { mode: 0o644 });
    expect((await tollgate(owner, ['backup', 'private.dump'])).code).toBe(0);
    for (const name of ['private.dump', 'private.dump.json'])
      expect((statSync(path.join(home, name)).mode & 0o777).toString(8), name).toBe('600');
  });

  it('restores all rows and audit chains under another owner, ready for setup', async () => {
    const backedUp = await tollgate(owner, ['backup', 'first.dump']);
    expect(backedUp).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /^Backed up \d+ rows of \d+ tables and 2 audit chains to first\.dump\.\n$/,
      ),
    });
    const { contents } = JSON.parse(readFileSync(path.join(home, 'first.dump.json'), 'utf8'));
    expect(contents.tables).toMatchObject({
      tenant: 1,
      api: 1,
      audit_entry: await app.database.auditEntry.count(),
    });

    const target = await newOwner('target');
    const restored = await tollgate(target, ['restore', 'first.dump']);
    expect(restored).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Restored and verified .* Run setup before the processes start\.\n$/),
    });
    const url = withLogin(target, 'app', 'secret');
    const deployment = { ownerUrl: target, appUrl: url, migrationsDir: MIGRATIONS };
    expect(await deployDatabase({ ...deployment, scopeSecrets: [TEST_SCOPE_SECRET] })).toEqual([]);
    const drop = async () => undefined;
    const copy = await startTestApp({}, undefined, { url, ownerUrl: postgres.databaseUrl('target'), drop });
    try {
      const { data } = await copy.graphql('{ tenants { nodes { key } } auditVerify { ok chains } }');
      expect(data).toEqual({ tenants: { nodes: [{ key: 'acme' }] }, auditVerify: { ok: true, chains: 2 } });
    } finally {
      await copy.stop();
    }
  });

  it('restores into a database whose administrator has created the extension', async () => {
    const target = await newOwner('prepared');
    await runStatement(postgres.url, 'CREATE DATABASE prepared OWNER prepared');
    await runStatement(postgres.databaseUrl('prepared'), 'CREATE EXTENSION pg_trgm');
    expect(await tollgate(target, ['restore', 'first.dump'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('lists rows and audit chains that a restored database lacks', async () => {
    const manifest = JSON.parse(readFileSync(path.join(home, 'first.dump.json'), 'utf8'));
    const { tables, chains } = manifest.contents;
    writeFileSync(
      path.join(home, 'more.dump.json'),
      JSON.stringify({
        ...manifest,
        contents: {
          ...manifest.contents,
          tables: { ...tables, tenant: 2 },
          chains: { ...chains, gone: chains.acme },
        },
      }),
    );
    writeFileSync(path.join(home, 'more.dump'), readFileSync(path.join(home, 'first.dump')));
    const { code, stderr } = await tollgate(withDatabase(owner, 'more'), ['restore', 'more.dump']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The restored database differs from the backup:\n  table tenant: 1 rows instead of 2\n' +
        `  audit chain gone: ends at 0 (intact) instead of ${chains.acme.sequence} (intact)\n`,
    );
  });

  it('reports an audit trail that was changed before the backup', async () => {
    await runStatement(
      postgres.databaseUrl('more'),
      "SET session_replication_role = replica; UPDATE audit_entry SET reason = 'another' WHERE chain = 'acme' AND sequence = 1",
    );
    expect(await tollgate(withDatabase(owner, 'more'), ['backup', 'broken.dump'])).toMatchObject({
      code: 1,
      stderr: 'The audit chain acme was already broken when the backup was made (content).\n',
    });
  });

  it('refuses a damaged archive, a database with tables and an existing file, and changes nothing', async () => {
    const copy = (name: string) => {
      for (const suffix of ['', '.json'])
        writeFileSync(path.join(home, name + suffix), readFileSync(path.join(home, `first.dump${suffix}`)));
    };
    copy('damaged.dump');
    appendFileSync(path.join(home, 'damaged.dump'), '.');
    const unused = withDatabase(owner, 'unused');
    const damaged = `${path.join(home, 'damaged.dump')} is damaged: its SHA-256 differs.\n`;
    expect(await tollgate(unused, ['restore', 'damaged.dump'])).toMatchObject({ code: 2, stderr: damaged });
    await expect(runStatement(unused, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
    expect(await tollgate(owner, ['restore', 'first.dump'])).toMatchObject({
      code: 2,
      stderr: 'The database tollgate contains tables. Restore into a new one.\n',
    });
    expect(await tollgate(owner, ['backup', 'first.dump'])).toMatchObject({
      code: 2,
      stderr: `${path.join(home, 'first.dump')} exists. Choose another file name.\n`,
    });
  });

  it('refuses a login that does not see all rows', async () => {
    expect(await tollgate(withLogin(owner, 'app', 'secret'), ['backup', 'partial.dump'])).toMatchObject({
      code: 2,
      stderr: 'The login of DATABASE_MIGRATION_URL does not own the tables: it would not see all rows.\n',
    });
    expect(readdirSync(home).filter((name) => name.startsWith('partial'))).toEqual([]);
  });

  it('names the programs to install where pg_dump is missing or older than the server', async () => {
    expect(await tollgate(owner, ['backup', 'missing.dump'], '/absent')).toMatchObject({
      code: 2,
      stderr: 'pg_dump was not found. Install the client programs of Postgres 15 or newer.\n',
    });
    const newer = await createTestDatabase();
    const { code, stderr } = await tollgate(newer.ownerUrl, ['backup', 'older.dump']);
    await newer.drop();
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^pg_dump 15\.\d+ is too old for Postgres 18\. Install the client programs of Postgres 18 or newer/,
      ),
    ]);
  });

  it('names the server that does not answer, without the password', async () => {
    const { code, stderr } = await tollgate('postgresql://tollgate:secret@127.0.0.1:1/tollgate', [
      'backup',
      'x.dump',
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^DATABASE_MIGRATION_URL: no connection to 127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)\.\n$/,
    );
    expect(stderr).not.toContain('secret');
  });
});
