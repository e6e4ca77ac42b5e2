import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { TOOL_DIR } from '../run/root.mjs';
import { fetchedRoots, fetchPackages } from './debian-packages.mjs';

const runFile = promisify(execFile);

/**
 * Debian packages whose programs tests start by name. A test that needs one has the package as a tag. `version`: an argument
 * of the programs, and what they then print.
 * @type {{ name: string, programs: string[], version: [string, RegExp], usedBy: string }[]}
 */
export const PACKAGES = [
  {
    name: 'redis-server',
    programs: ['redis-server', 'redis-cli'],
    version: ['--version', /[ =]([7-9]|\d\d)\./],
    usedBy: 'faults of Redis, Redis Cluster, Sentinel',
  },
  { name: 'nginx', programs: ['nginx'], version: ['-v', /nginx/], usedBy: 'examples of proxies' },
  { name: 'haproxy', programs: ['haproxy'], version: ['-v', /HAProxy/], usedBy: 'examples of proxies' },
  { name: 'caddy', programs: ['caddy'], version: ['version', /^v?2\./], usedBy: 'examples of proxies' },
  {
    name: 'pgbouncer',
    programs: ['pgbouncer'],
    version: ['--version', /PgBouncer/],
    usedBy: 'pooled connections',
  },
  {
    name: 'postgresql-15',
    programs: ['postgres', 'initdb', 'pg_dump', 'pg_restore'],
    version: ['--version', /PostgreSQL\) 15\./],
    usedBy: 'the oldest supported Postgres, backup and restore',
  },
  {
    name: 'prometheus',
    programs: ['prometheus', 'promtool'],
    version: ['--version', /version/],
    usedBy: 'metrics and alert rules',
  },
  {
    name: 'clickhouse-server',
    programs: ['clickhouse-server'],
    version: ['--version', /ClickHouse|Unknown option/], // that of Debian 12 does not know it
    usedBy: 'export of usage',
  },
  {
    name: 'openssl',
    programs: ['openssl'],
    version: ['version', /OpenSSL/],
    usedBy: 'certificates of the yard',
  },
];

/** Contains each program of `PACKAGES` that was found or fetched. */
export const PROGRAMS_DIR = path.join(TOOL_DIR, 'programs');

/** Names of packages without which `npm test` runs. */
const MISSING = 'TOLLGATE_MISSING_PROGRAMS';

/** Puts the programs on the PATH of this process and of those that it starts. */
export function usePrograms() {
  process.env.PATH = [PROGRAMS_DIR, ...pathFolders()].join(path.delimiter);
}

/** Error of a program that cannot be started. */
export const notOnPath = (program) =>
  new Error(
    `${program} is not on PATH. Install it, or run npm test once, which fetches it into ${PROGRAMS_DIR}`,
  );

/** Environment of a test run. @param {string[]} missing as `ensurePrograms` returns it */
export const missingProgramsEnv = (missing) => ({ [MISSING]: missing.join() });

/** Tags of Vitest. The tests of a missing program do not run in `npm test`; elsewhere they fail. */
export function programTags() {
  const missing = process.env[MISSING]?.split(',') ?? [];
  return PACKAGES.map(({ name, usedBy }) => ({
    name,
    description: usedBy,
    ...(missing.includes(name) ? { skip: true } : {}),
  }));
}

/**
 * Finds the programs on this machine, and fetches the others.
 * @returns {Promise<{ fetched: string[], missing: string[] }>} names of packages
 */
export async function ensurePrograms(logFile) {
  const before = await findPackages();
  const wanted = namesWithout(before);
  mkdirSync(path.dirname(logFile), { recursive: true });
  if (wanted.length > 0) await fetchPackages(wanted, logFile);
  const found = wanted.length > 0 ? await findPackages() : before;
  writeWrappers(found.flat());
  const missing = namesWithout(found);
  return { fetched: wanted.filter((name) => !missing.includes(name)), missing };
}

const namesWithout = (found) => PACKAGES.filter((_, i) => found[i] === undefined).map(({ name }) => name);

function findPackages() {
  const places = listPlaces();
  return Promise.all(PACKAGES.map((wanted) => findPackage(wanted, places)));
}

/** @returns its programs with their files; undefined if one of them is absent or has another version */
export async function findPackage({ programs, version }, places) {
  const found = await Promise.all(programs.map((program) => findProgram(program, version, places)));
  return found.includes(undefined) ? undefined : found;
}

async function findProgram(program, [argument, pattern], places) {
  for (const { folder, libraries } of places) {
    const file = path.join(folder, program);
    if (!existsSync(file)) continue;
    const env = { ...process.env, ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }) };
    // A broken program, or a stub, prints something else.
    const { stdout, stderr } = await runFile(file, [argument], { env }).catch((error) => error);
    if (pattern.test(`${stdout}${stderr}`)) return { program, file, libraries };
  }
  return undefined;
}

/** Folders to search, in this order: those of the machine, then those of fetched packages with their libraries. */
function listPlaces() {
  const machine = [...pathFolders(), ...programFolders('/')].map((folder) => ({ folder }));
  const fetched = fetchedRoots().flatMap((root) => {
    const libraries = libraryFolders(root).join(':');
    return programFolders(root).map((folder) => ({ folder, libraries }));
  });
  return [...machine, ...fetched];
}

const pathFolders = () =>
  (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '' && folder !== PROGRAMS_DIR);

function programFolders(root) {
  const postgres = path.join(root, 'usr/lib/postgresql');
  const versions = existsSync(postgres) ? readdirSync(postgres) : [];
  return [
    ...['usr/bin', 'usr/sbin', 'usr/local/bin', 'usr/local/sbin'].map((folder) => path.join(root, folder)),
    ...versions.map((version) => path.join(postgres, version, 'bin')),
  ];
}

/** Such as `usr/lib/x86_64-linux-gnu`. */
function libraryFolders(root) {
  return ['usr/lib', 'lib']
    .map((folder) => path.join(root, folder))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((folder) => folder.includes('-linux-gnu'));
}

/** Each file is replaced at once: another run may be starting it. */
function writeWrappers(found) {
  mkdirSync(PROGRAMS_DIR, { recursive: true, mode: 0o755 });
  for (const name of PACKAGES.flatMap(({ programs }) => programs)) {
    const wrapper = path.join(PROGRAMS_DIR, name);
    const target = found.find((entry) => entry?.program === name);
    if (target === undefined) {
      rmSync(wrapper, { force: true });
      continue;
    }
    const draft = `${wrapper}.${process.pid}`;
    writeFileSync(draft, wrapperText(target), { mode: 0o755 });
    renameSync(draft, wrapper);
  }
}

export function wrapperText({ file, libraries }) {
  const setting = libraries === undefined ? '' : `LD_LIBRARY_PATH=${quoted(libraries)} `;
  return `#!/bin/sh\n${setting}exec ${quoted(file)} "$@"\n`;
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
