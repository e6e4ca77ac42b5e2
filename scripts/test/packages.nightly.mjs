import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../run/root.mjs';
import { EmptyProject, installedFor } from './empty-project.mjs';

const LIBRARIES = ['sdk', 'decision-plane', 'limiter'];
const PACKAGES = [...LIBRARIES, 'cli'];
/** Title, module format, expression that loads a package, whether `require` loads ES modules. */
const LOADERS = [
  ['import', 'esm', (id) => `await import('${id}')`, true],
  ['require', 'cjs', (id) => `require('${id}')`, true],
  ['require without ES modules', 'cjs', (id) => `require('${id}')`, false],
];
/** Their framework, NestJS 12, is ESM only; NestJS 11 is not. */
const NEEDS_ESM = new Set(['@tollgate/sdk/nest', '@tollgate/sdk/nest-throttler']);
const DRAFT = `
version: 1
apis:
  website: { name: Website }
tiers:
  free:
    name: Free
    limits:
      - { name: per-minute, api: website, algorithm: fixed_window, limit: 10, window: 1m }
`;
/** Declarations of what examples use without creating it. */
const GIVEN = {
  plane: "declare const plane: import('@tollgate/decision-plane').DecisionPlane;\n",
  limiter: "declare const limiter: import('@tollgate/limiter').Limiter;\n",
};

const project = new EmptyProject();
const tarballs = {};
const folderOf = (name) => path.join(ROOT, 'packages', name);
const installedFolder = (name) => path.join(project.folder, 'node_modules/@tollgate', name);
const readmeOf = (name) => readFileSync(path.join(folderOf(name), 'README.md'), 'utf8');

beforeAll(async () => {
  await Promise.all(
    PACKAGES.map(async (name) => {
      tarballs[`@tollgate/${name}`] = await project.pack(name);
    }),
  );
  const { peerDependencies } = JSON.parse(readFileSync(path.join(folderOf('sdk'), 'package.json'), 'utf8'));
  const peers = [...Object.keys(peerDependencies), '@types/express'];
  await project.install(tarballs, Object.assign({}, ...PACKAGES.map(installedFor)), peers);
});
afterAll(() => project.remove());

describe.each(PACKAGES)('the tarball of %s', (name) => {
  const installed = installedFolder(name);

  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test('imports only declared packages', () => {
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(path.join(installed, 'package.json'), 'utf8'),
    );
    const declared = Object.keys({ ...dependencies, ...peerDependencies });
    const undeclared = importsOf(path.join(installed, 'dist')).filter((id) => !declared.includes(id));
    expect(undeclared).toEqual([]);
  });

  test('is smaller than its README states', () => {
    const [, limitKb] = /tarball stays below (\d+) kB/.exec(readmeOf(name)) ?? [];
    expect(statSync(tarballs[`@tollgate/${name}`]).size).toBeLessThan(Number(limitKb) * 1000);
  });
});

describe.each(LIBRARIES)('the library %s', (name) => {
  const installed = installedFolder(name);

  test('passes are-the-types-wrong', async () => {
    const { problems } = await checkPackage(
      createPackageFromTarballData(readFileSync(tarballs[`@tollgate/${name}`])),
    );
    // This mode does not know `exports`; `attw --profile node16` leaves it out too.
    expect(problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([]);
  });

  test.each(LOADERS)('loads its subpaths by %s', async (_title, format, load, canRequireEsm) => {
    const ids = subpathsOf(installed).filter((id) => canRequireEsm || !NEEDS_ESM.has(id));
    const printed = await project.runProgram(
      `const modules = [${ids.map(load)}];
       console.log(modules.every((module) => Object.keys(module).length > 0));`,
      { format, canRequireEsm },
    );
    expect(printed).toBe('true');
  });

  test('has types for CommonJS', () => {
    const ids = subpathsOf(installed).filter((id) => !NEEDS_ESM.has(id));
    const imports = ids.map((id, index) => `import * as m${index} from '${id}'; void m${index};`);
    project.write(`${name}.cts`, imports.join('\n'));
    const modules = { module: 'Node16', moduleResolution: 'Node16' };
    expect(project.typeProblems([`${name}.cts`], modules)).toEqual([]);
  });
});

/** Import names of a package's subpaths. */
function subpathsOf(installed) {
  const { name, exports } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  return Object.keys(exports).map((subpath) => path.posix.join(name, subpath));
}

/** Packages that the code and types in a folder import. */
function importsOf(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => /\.c?[jt]s$/.test(file));
  const imported = files.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(path.join(folder, file), 'utf8'));
    return importedFiles.map(({ fileName }) => fileName);
  });
  const ofOthers = imported.filter((id) => !/^(\.|node:)/.test(id));
  return [...new Set(ofOthers.map((id) => /^(@[^/]+\/)?[^/]+/.exec(id)?.[0]))];
}

test.each([
  ['esm', `import { retryAdvice, Tollgate } from '@tollgate/sdk';`],
  ['cjs', `const { retryAdvice, Tollgate } = require('@tollgate/sdk');`],
])('gets a decision from a server with the SDK as %s in an empty project', async (format, imports) => {
  const answer = {
    success: false,
    policy: 'create-minute',
    reason: 'RATE_EXCEEDED',
    retryAfter: 7,
    policies: [],
  };
  const server = createServer((_request, response) => response.end(JSON.stringify(answer))).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const printed = await project.runProgram(
    `${imports}
     const tollgate = new Tollgate({ url: process.env.URL, token: 'tga_live_x', timeoutMs: 30_000 });
     tollgate.limit({ tenant: 'acme', api: 'shop', operation: 'checkout' }).then((decision) => {
       console.log(decision.policy, decision.retryAfter, retryAdvice(decision, () => 0).waitMs);
     });`,
    { format, env: { URL: `http://127.0.0.1:${server.address().port}` } },
  );
  expect(printed).toBe('create-minute 7 7000');
});

test.each([
  [
    'esm',
    `import { TollgateError } from '@tollgate/decision-plane';
     import { TestPlane } from '@tollgate/decision-plane/testing';
     import { EmbeddedTollgate } from '@tollgate/sdk/embedded';`,
  ],
  [
    'cjs',
    `const { TollgateError } = require('@tollgate/decision-plane');
     const { TestPlane } = require('@tollgate/decision-plane/testing');
     const { EmbeddedTollgate } = require('@tollgate/sdk/embedded');`,
  ],
])('gets decisions and errors from an embedded plane as %s in an empty project', async (format, imports) => {
  const printed = await project.runProgram(
    `${imports}
     const limit = { name: 'hour', api: 'shop', operations: [], per: ['user'], onUnavailable: 'share',
       algorithm: 'fixed_window', limit: 1, windowMs: 3_600_000, alignment: 'clock', onMissing: 'refuse' };
     const tollgate = new EmbeddedTollgate({ plane: new TestPlane({ limits: [limit] }), onFault: 'throw' });
     const request = { tenant: 'acme', api: 'shop', operation: 'checkout', subject: { user: 'u1' } };
     (async () => {
       console.log((await tollgate.limit(request)).success, (await tollgate.limit(request)).reason);
       const fault = await tollgate.limit({ ...request, subject: {} }).catch((error) => error);
       console.log(fault.code, fault.cause instanceof TollgateError);
     })();`,
    { format },
  );
  expect(printed).toBe('true RATE_EXCEEDED\ndimension-missing true');
});

test.each([
  ['NodeNext', 'NodeNext'],
  ['Bundler', 'ESNext'],
])('compiles the READMEs’ examples under moduleResolution %s', (moduleResolution, module) => {
  const files = LIBRARIES.flatMap((name) =>
    [...readmeOf(name).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, example], index) => {
      const file = `${name}-${index}.ts`;
      const given = Object.entries(GIVEN).filter(([made]) => !example.includes(`const ${made} =`));
      project.write(file, `${given.map(([, declaration]) => declaration).join('')}${example}`);
      return file;
    }),
  );
  expect(files.length).toBeGreaterThan(3);
  expect(project.typeProblems(files, { module, moduleResolution })).toEqual([]);
});

describe('tollgate, installed in an empty project', () => {
  const { version } = JSON.parse(readFileSync(path.join(folderOf('cli'), 'package.json'), 'utf8'));
  const samples = path.join(installedFolder('cli'), 'samples');
  const log = path.join(samples, 'apache-sample.log.gz');

  test('prints its version', async () => {
    expect(await project.runCommand('tollgate', '--version')).toContain(version);
  });

  test('validates its sample configuration', async () => {
    const file = path.join(samples, 'shop.yaml');
    expect(await project.runCommand('tollgate', 'config', 'validate', '--offline', file)).toContain(
      'shop.yaml',
    );
  });

  test('imports and replays its sample log', async () => {
    await project.runCommand('tollgate', 'traffic', 'import', log, '--out', 'sample.traffic');
    project.write('draft.yaml', DRAFT);
    const args = ['simulate', 'draft.yaml', '--recording', 'sample.traffic', '--json'];
    const printed = await project.runCommand('tollgate', ...args);
    expect(JSON.parse(printed)).toMatchObject({ result: { covered: 910, newlyDenied: 830 } });
  });

  test('names the path of its sample log', async () => {
    await expect(project.runCommand('tollgate', 'replay')).rejects.toThrow(
      /use the sample: .*apache-sample\.log\.gz/,
    );
  });
});
