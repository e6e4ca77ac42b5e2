// No container engine is needed to run the tests, so the files are checked as text and against the Compose schema.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { writeMissingSecrets } from '../apps/control-plane/src/setup/installation-secrets.ts';
import { reservePort } from '../scripts/stack/settings.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(folder);
const read = (name) => readFileSync(path.join(folder, name), 'utf8');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const nodeVersion = readFileSync(path.join(root, '.node-version'), 'utf8').trim();

describe.each(readdirSync(folder).filter((name) => name.endsWith('.Dockerfile')))('%s', (name) => {
  const text = read(name);
  const finalStage = text.slice(text.lastIndexOf('\nFROM '));

  it('builds with the versions of this repository', () => {
    expect(text).toContain(`ARG NODE_IMAGE=node:${nodeVersion}-`);
    expect(text).toContain(`npm install --global ${manifest.packageManager}`);
    expect(text).toContain('pnpm install --frozen-lockfile');
  });

  it('fetches dependencies in a layer that depends on the lock file only', () => {
    expect(text.indexOf('pnpm fetch')).toBeGreaterThan(0);
    expect(text.indexOf('pnpm fetch')).toBeLessThan(text.indexOf('COPY . .'));
    expect(text).toContain('\nCOPY pnpm-lock.yaml pnpm-workspace.yaml ./\n');
  });

  it('runs the app without root and build tools, with a health check', () => {
    expect(text.match(/^FROM /gm)).toHaveLength(2);
    expect(finalStage).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(finalStage).not.toMatch(/pnpm|npm install|COPY \. /);
    expect(finalStage).toMatch(/^HEALTHCHECK /m);
    expect(finalStage).toMatch(/^CMD \["node", .*"dist\/main\.js"\]$/m);
    expect(text).toContain('sh docker/prune.sh /out');
  });

  it('contains no secret', () => {
    expect(text).not.toMatch(/(SECRET|PEPPER|PASSWORD|TOKEN)\w*=/);
  });

  it('names an app that exists', () => {
    expect(existsSync(path.join(root, 'apps', name.replace('.Dockerfile', ''), 'package.json'))).toBe(true);
  });
});

describe('the release workflow', () => {
  const { permissions, jobs } = parse(readFileSync(path.join(root, '.github/workflows/release.yml'), 'utf8'));
  const digestOf = (image) => `\${{ needs.digests.outputs.${image} }}`;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('tests with the Node of this repository, and builds from the images whose digests it lists', () => {
    expect(jobs.digests.env.TEST_IMAGE).toBe(`node:${nodeVersion}-bookworm`);
    expect(jobs.test.container).toBe(digestOf('test-image'));
    const build = jobs.images.steps.find(({ id }) => id === 'build');
    expect(build.with['build-args']).toContain(`NODE_IMAGE=${digestOf('node-image')}`);
    expect(jobs.smoke.env.NODE_IMAGE).toBe(digestOf('node-image'));
  });

  it('pins every action by its commit', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(5);
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it('grants each job only what it writes', () => {
    expect(permissions).toEqual({});
    const granted = Object.entries(jobs).map(([name, job]) => [name, job.permissions]);
    expect(Object.fromEntries(granted)).toEqual({
      digests: { contents: 'read' },
      test: { contents: 'read' },
      smoke: { contents: 'read' },
      images: { contents: 'read', packages: 'write' },
      chart: { contents: 'read', packages: 'write' },
      release: { contents: 'write' },
    });
  });

  it('passes values to commands as variables, never as text of the command', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true });
  const { services } = compose;
  const apps = { 'control-plane': services['control-plane'], 'decision-api': services['decision-api'] };

  it('matches the Compose schema', () => {
    const schemaFile = path.join(
      path.dirname(createRequire(import.meta.url).resolve('dclint/package.json')),
      'schemas/compose.schema.json',
    );
    const { $schema: _, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8'));
    const isValid = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
    isValid(compose);
    expect(isValid.errors).toBeNull();
    expect(isValid({ services: { a: { image: 'a', memlimit: '1g' } } })).toBe(false);
  });

  it('never evicts keys, and stores policy and jobs on disk', () => {
    expect(services.policy.command.join(' ')).toMatch(
      /--appendonly yes --maxmemory \w+ --maxmemory-policy noeviction/,
    );
    expect(services.counters.command.join(' ')).toMatch(/--maxmemory \w+ --maxmemory-policy noeviction/);
  });

  it('connects each database only with the apps that use it, without a way out', () => {
    const members = (network) =>
      Object.keys(services).filter((name) => services[name].networks?.includes(network));
    expect(compose.networks).toEqual({
      apps: null,
      database: { internal: true },
      policy: { internal: true },
      counters: { internal: true },
    });
    expect(members('apps')).toEqual(['setup', 'control-plane', 'worker', 'decision-api', 'proxy']);
    expect(members('database')).toEqual(['setup', 'control-plane', 'worker', 'postgres']);
    expect(members('policy')).toEqual(['setup', 'control-plane', 'worker', 'decision-api', 'policy']);
    expect(members('counters')).toEqual(['setup', 'control-plane', 'worker', 'decision-api', 'counters']);
    expect(services.keys.network_mode).toBe('none');
  });

  it.each(['policy', 'counters'])(
    'starts Redis for %s, which answers only with the password of its URL',
    { tags: ['redis-server'] },
    async (name) => {
      const target = mkdtempSync(path.join(tmpdir(), 'tollgate-compose-'));
      onTestFinished(() => rmSync(target, { recursive: true }));
      writeMissingSecrets(target);
      const { entrypoint, command, healthcheck, secrets } = services[name];
      const file = (secret) => path.join(target, secret);
      // Compose replaces `$$`; the folders of the container are replaced by that of the test.
      const local = (text) =>
        text
          .replaceAll('$$', '$')
          .replaceAll('/run/secrets/password', file(secrets[0].source))
          .replaceAll('/tmp/redis.conf', file('redis.conf'));
      const port = String(await reservePort());
      const [program, ...args] = [...entrypoint.map(local), ...command, '--port', port, '--dir', target];
      const server = spawn(program, [...args, '--bind', '127.0.0.1'], { stdio: 'ignore' });
      onTestFinished(async () => {
        server.kill('SIGTERM');
        if (server.exitCode === null) await once(server, 'exit');
      });

      const check = local(healthcheck.test[1]).replace('redis-cli', `redis-cli -p ${port}`);
      await expect.poll(() => spawnSync('sh', ['-c', check]).status).toBe(0);
      const ping = (...auth) =>
        execFileSync('redis-cli', ['-p', port, ...auth, 'ping'], { encoding: 'utf8', stdio: 'pipe' });
      expect(ping()).toContain('NOAUTH');
      const variable = name === 'policy' ? 'REDIS_CONFIG_URL' : 'REDIS_COUNTERS_URL';
      const url = new URL(readFileSync(file(variable), 'utf8').trim());
      expect([url.hostname, url.port]).toEqual([name, '6379']);
      expect(ping('--no-auth-warning', '-a', url.password)).toContain('PONG');
      const processArgs = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8');
      expect(processArgs).toContain('redis-server');
      expect(processArgs).not.toContain(url.password);
    },
  );

  it('pins every image that it does not build, and publishes on loopback only unless the proxy does', () => {
    for (const [name, { image, build, ports = [] }] of Object.entries(services)) {
      if (build === undefined) expect(image, name).toMatch(/:\d+(\.\d+)+/);
      for (const port of ports)
        if (name !== 'proxy') expect(port).toMatch(/^\$\{\w+:-127\.0\.0\.1:\d+\}:\d+$/);
    }
    expect(read('compose.yaml').match(/\$\{TAG:-([^}]+)\}/g)).toHaveLength(3);
    expect(read('compose.yaml')).toContain(`\${TAG:-${manifest.version}}`);
  });

  it('limits every service: no capabilities that it does not need, a read-only root, bounded memory', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
      });
    }
    const withCapabilities = Object.keys(services).filter((name) => services[name].cap_add !== undefined);
    expect(withCapabilities).toEqual(['postgres', 'proxy']);
  });

  it('publishes the ports of the images, and metrics to its own network only', () => {
    for (const [app, { ports, environment }] of Object.entries(apps)) {
      const exposed = /^EXPOSE (.*)$/m
        .exec(read(`${app}.Dockerfile`))[1]
        .split(' ')
        .map(Number);
      expect(ports.map((port) => Number(port.split(':').at(-1)))).toEqual(exposed);
      const listening = [environment.PORT, environment.RLS_PORT].filter(Boolean);
      expect(listening).toEqual(exposed);
      expect(exposed).not.toContain(environment.METRICS_PORT);
    }
  });

  it('drains long enough for a load balancer to notice, and kills only after that', () => {
    for (const [app, { stop_grace_period: grace }] of Object.entries(apps)) {
      expect(read(`${app}.Dockerfile`)).toContain('DRAIN_NOTICE_MS=6000');
      expect(Number.parseInt(grace, 10), app).toBeGreaterThan(10);
    }
  });

  it('checks every service that runs on, the worker beside its metrics', () => {
    const unchecked = Object.keys(services).filter((name) => services[name].healthcheck?.disable);
    expect(unchecked).toEqual(['keys', 'setup']);
    const { environment, healthcheck } = services.worker;
    expect(healthcheck.test.join(' ')).toContain(`127.0.0.1:${environment.METRICS_PORT}/readyz`);
  });

  it('reads every setting from .env and every secret from a file', () => {
    const page = readFileSync(path.join(root, 'docs/operate/configuration.md'), 'utf8');
    const [, controlPlane, setup, decisionApi] = page.split('\n## ');
    const example = read('.env.example');
    for (const [name, table] of [
      ['control-plane', controlPlane],
      ['worker', controlPlane],
      ['setup', controlPlane + setup],
      ['decision-api', decisionApi],
    ]) {
      const { env_file, environment, secrets } = services[name];
      expect(env_file).toEqual([{ path: '.env', required: false }]);
      const variables = [...table.matchAll(/^\| `(\w+)`( \(secret\))? \|/gm)];
      for (const [, variable, isSecret] of variables) {
        const isFixed = variable in environment;
        const isFile = environment[`${variable}_FILE`] !== undefined;
        const isListed = new RegExp(`^(# )?${variable}=`, 'm').test(example);
        const isOfWorker = name === 'worker' || name === 'setup' ? variable === 'DECISION_TOKEN' : false;
        expect(isFixed || isFile || isListed || isOfWorker, `${name}: ${variable}`).toBe(true);
        if (isSecret !== undefined) expect(isListed, `${variable} in .env`).toBe(false);
      }
      const known = new Set(variables.map(([, variable]) => variable));
      for (const variable of Object.keys(environment))
        expect(known.has(variable.replace(/_FILE$/, '')) || known.has(variable), `${name}: ${variable}`).toBe(
          true,
        );
      const files = Object.values(environment).filter((value) => /^\/run\/secrets\//.test(value));
      expect([...secrets].sort()).toEqual(files.map((file) => path.basename(file)).sort());
    }
  });

  it('passes the login that owns the tables only to the setup', () => {
    const owners = Object.keys(services).filter((name) =>
      services[name].secrets?.includes('DATABASE_MIGRATION_URL'),
    );
    expect(owners).toEqual(['setup']);
  });

  it('finds every secret among the files of the service `keys`, which replaces none', () => {
    const target = mkdtempSync(path.join(tmpdir(), 'tollgate-keys-'));
    onTestFinished(() => rmSync(target, { recursive: true }));
    const written = writeMissingSecrets(target);
    expect(Object.keys(compose.secrets).sort()).toEqual([...written].sort());
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`);
    const contentOf = (name) => readFileSync(path.join(target, name), 'utf8').trim();
    expect(contentOf('DATABASE_MIGRATION_URL')).toContain(
      `:${contentOf('POSTGRES_PASSWORD')}@postgres:5432/`,
    );
    rmSync(path.join(target, 'AUDIT_KEY'));
    rmSync(path.join(target, 'POLICY_PUBLIC_KEYS'));
    expect(writeMissingSecrets(target)).toEqual(['AUDIT_KEY']);
  });
});
