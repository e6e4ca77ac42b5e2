// No container engine is needed to run the tests, so the files are held to their rules as text.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

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

  it('runs the app without root and build tools, with a health check', () => {
    expect(text.match(/^FROM /gm)).toHaveLength(2);
    expect(finalStage).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(finalStage).not.toMatch(/pnpm|npm install|COPY \. /);
    expect(finalStage).toMatch(/^HEALTHCHECK /m);
    expect(finalStage).toMatch(/^CMD \["node", .*"dist\/main\.js"\]$/m);
  });

  it('contains no secret', () => {
    expect(text).not.toMatch(/(SECRET|PEPPER|PASSWORD|TOKEN)\w*=/);
  });

  it('names an app that exists', () => {
    expect(existsSync(path.join(root, 'apps', name.replace('.Dockerfile', ''), 'package.json'))).toBe(true);
  });
});

describe('compose.yaml', () => {
  const text = read('compose.yaml');
  /** A service's lines, from its name to the next blank line. */
  const service = (name) => text.split(/\n\n/).find((block) => block.includes(`\n  ${name}:\n    image:`));

  it('stores policy and jobs on disk without eviction and lets counters expire', () => {
    expect(service('policy')).toContain('--appendonly, "yes", --maxmemory-policy, noeviction');
    expect(service('counters')).toContain('--maxmemory-policy, volatile-ttl');
  });

  it('pins every image that it does not build and publishes on loopback only', () => {
    for (const [, image] of text.matchAll(/image: (\S+)$/gm)) expect(image).toMatch(/:\d+(\.\d+)+/);
    const ports = [...text.matchAll(/ports: \[(.+)\]/g)].flatMap(([, list]) => list.split(', '));
    for (const port of ports) expect(port).toMatch(/^"127\.0\.0\.1:\d+:\d+"$/);
  });

  it('publishes the ports of the HTTP API and the gRPC server', () => {
    const [ours] = /^ {2}decision-api:[\s\S]*?depends_on:/m.exec(text);
    const [, rlsPort] = /RLS_PORT: (\d+)/.exec(ours);
    const [, port] = / PORT=(\d+)/.exec(read('decision-api.Dockerfile'));
    expect(ours).toContain(`ports: ["127.0.0.1:${port}:${port}", "127.0.0.1:${rlsPort}:${rlsPort}"]`);
    expect(read('decision-api.Dockerfile')).toContain(`EXPOSE ${port} ${rlsPort}\n`);
  });

  it('serves metrics to its own network only', () => {
    const [ours] = /^ {2}decision-api:[\s\S]*?depends_on:/m.exec(text);
    const [, metricsPort] = /METRICS_PORT: (\d+)/.exec(ours);
    expect(/ports: \[(.+)\]/.exec(ours)[1]).not.toContain(metricsPort);
  });

  it('requires every secret from the environment, with a message for a missing one', () => {
    for (const name of [
      'POSTGRES_PASSWORD',
      'DATABASE_PASSWORD',
      'DATABASE_SCOPE_SECRETS',
      'SESSION_SECRET',
      'ENCRYPTION_SECRETS',
      'AUDIT_KEY',
      'TOKEN_PEPPER',
      'ADMIN_PASSWORD',
      'POLICY_SIGNING_KEY',
    ]) {
      expect(text.match(new RegExp(`\\$\\{${name}:\\?set ${name}`, 'g'))?.length).toBeGreaterThan(0);
    }
  });

  it('passes the login that owns the tables only to the setup', () => {
    expect(text.match(/postgresql:\/\/tollgate:/g)).toHaveLength(1);
    expect(/^ {2}setup:[\s\S]*?^ {2}control-plane:/m.exec(text)?.[0]).toContain(
      'DATABASE_MIGRATION_URL: postgresql://tollgate:',
    );
  });

  it('passes each app only variables that it reads', () => {
    for (const [app, block] of [
      ['control-plane', /x-control-plane:[\s\S]*?depends_on:/],
      ['decision-api', /^ {2}decision-api:[\s\S]*?volumes:/m],
    ]) {
      const known = readFileSync(path.join(root, 'apps', app, '.env.example'), 'utf8');
      for (const [, name] of (block.exec(text)?.[0] ?? '').matchAll(/^ {4,6}([A-Z_]+): /gm)) {
        expect(known, `${app}: ${name}`).toMatch(new RegExp(`^(?:# )?${name}=`, 'm'));
      }
    }
  });
});
