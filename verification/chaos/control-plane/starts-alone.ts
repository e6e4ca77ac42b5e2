import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DecisionPlane } from '@tollgate/decision-plane';
import { type LastGood, LastGoodFile } from '@tollgate/decision-plane/testing';
import { newSigningKey, PolicySigner } from '@tollgate/policy';
import { ProgramProcess } from '@tollgate/test-kit';
import { type Random, randomFrom } from '@tollgate/test-kit/random';
import { percentile } from '../../until.ts';
import { failing, type Goal } from '../goal.ts';
import { BYTE_DAMAGE, FORGED, FORGED_TENANTS } from './damaged-files.ts';
import { generationOf, limitOf, tenantName } from './last-good-policy.ts';
import { API, OPERATION } from './published-policy.ts';

const DAMAGED = 10_000;
const KILLS = 1000;
const STARTS = 40;
const TENANTS = 300;
const AT_ONCE = 50;
const WRITERS = 2;
const KILLED_WITHIN_MS = 60;
const READY_WITHIN_MS = 1000;
const FILE = 'last-good-policy.json';
const WRITER = fileURLToPath(new URL('./last-good-writer.ts', import.meta.url));

/** A port without a listener. */
const NOWHERE = 'redis://127.0.0.1:1';

/** One in this many damaged files has no valid previous generation. */
const ALONE = 10;

/** Times are not asserted for short runs: other tests run beside them. */
const TIMED_FROM = 10;

/** Starts nodes from disk alone, from damaged files and from files of a killed node. */
export const startsAlone: Goal = {
  id: 'C7',
  title: 'a node starts alone',
  passLine: 'from the last good policy on disk, and from none that is not whole',
  async run({ seed, scale }, report) {
    const random = randomFrom(seed);
    const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-c7-'));
    const signer = new PolicySigner(newSigningKey());
    try {
      const ready = await startProcesses(folder, signer, Math.ceil(STARTS * scale));
      const damage = await startDamaged(folder, signer, random, Math.ceil(DAMAGED * scale));
      const kills = await killWriters(folder, random, Math.ceil(KILLS * scale));
      const isTimed = ready.readyMs.length >= TIMED_FROM;
      const numbers = {
        'starts of the decision API': ready.readyMs.length,
        'ready p50 ms': percentile(ready.readyMs, 0.5),
        'ready p99 ms': percentile(ready.readyMs, 0.99),
        ...damage.counts,
        kinds: damage.kinds,
        'writers killed': kills.killed,
        'killed between two writes of a file': kills.between,
        'generations lost': kills.lost,
      };
      report({
        name: 'starts',
        numbers,
        failures: failing({
          'it was not ready within a second': !isTimed || percentile(ready.readyMs, 0.99) <= READY_WITHIN_MS,
          'it was ready on another revision than the one on disk': ready.wrong === 0,
          'a process did not come up on damaged files': ready.dead === 0,
          'a configuration was used that is none': damage.counts.wrong === 0,
          'a node did not start': damage.counts['did not start'] === 0,
          'the previous generation was not used': damage.counts['previous not used'] === 0,
          'a killed writer took a finished generation with it': kills.lost === 0,
        }),
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The built decision API with a Redis that rejects connections or never answers, and without a valid file. */
async function startProcesses(folder: string, signer: PolicySigner, starts: number) {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const blackHole = `redis://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const good = path.join(folder, 'good');
  await mkdir(good);
  await new LastGoodFile(path.join(good, FILE)).write(generationOf(signer, 1, TENANTS));
  const bad = path.join(folder, 'bad');
  await mkdir(bad);
  for (const name of [FILE, `${FILE}.previous`])
    await writeFile(path.join(bad, name), 'tollgate-last-good 2\n{');
  const readyMs: number[] = [];
  let wrong = 0;
  let dead = 0;
  for (let i = 0; i < starts; i++) {
    const options = { redisUrl: i % 2 === 0 ? NOWHERE : blackHole, publicKey: signer.publicKey };
    const startMs = performance.now();
    const api = await startDecisionApi({ ...options, dataDir: good });
    const { revision } = (await (await fetch(`${api.origin}/readyz`)).json()) as { revision?: number };
    readyMs.push(performance.now() - startMs);
    if (revision !== 1) wrong++;
    await api.kill();
  }
  const api = await startDecisionApi({ redisUrl: NOWHERE, publicKey: signer.publicKey, dataDir: bad });
  const [health, ready] = await Promise.all(
    ['healthz', 'readyz'].map((name) => fetch(`${api.origin}/${name}`)),
  );
  if (health?.status !== 200 || ready?.status !== 503) dead++;
  await api.kill();
  silent.close();
  return { readyMs, wrong, dead };
}

/** The built decision API. @throws Error if it exits instead of listening */
async function startDecisionApi(options: { dataDir: string; redisUrl: string; publicKey: string }) {
  const api = new ProgramProcess('decision-api/dist/main.js', {
    PORT: '0',
    NODE_ID: 'node-1',
    REDIS_COUNTERS_URL: options.redisUrl,
    REDIS_CONFIG_URL: options.redisUrl,
    POLICY_PUBLIC_KEYS: options.publicKey,
    TOKEN_PEPPER: 'a pepper of no use to anybody, long enough',
    DATA_DIR: options.dataDir,
    READY_WITHOUT_COUNTERS: 'true',
  });
  const { port } = await api.line('decision API listening');
  const kill = () => {
    api.kill();
    return api.exited;
  };
  return { origin: `http://127.0.0.1:${String(port)}`, kill };
}

/** Result of a start with damaged files. */
interface Expected {
  readonly kind: string;
  /** Expected revision; 0: none. */
  readonly revision: number;
  /** Whether the tenants' records may be rejected. */
  readonly mayRefuse: boolean;
}

async function startDamaged(folder: string, signer: PolicySigner, random: Random, files: number) {
  const [before, content] = [generationOf(signer, 1, TENANTS), generationOf(signer, 2, TENANTS)];
  const template = path.join(folder, FILE);
  await new LastGoodFile(template).write(before);
  const previous = await readFile(template);
  await new LastGoodFile(template).write(content);
  const newest = await readFile(template);
  const counts = { damaged: 0, wrong: 0, 'did not start': 0, 'previous not used': 0 };
  const kinds = new Set<string>();
  const start = async (index: number) => {
    const dataDir = path.join(folder, `damaged-${index}`);
    await mkdir(dataDir);
    const file = path.join(dataDir, FILE);
    const expected = await damage(file, { newest, previous }, { before, content }, random);
    kinds.add(expected.kind);
    counts.damaged++;
    try {
      const tenant = tenantName(random.below(TENANTS));
      const { revision, limit } = await decideAlone(dataDir, signer.publicKey, tenant);
      if (revision !== expected.revision) counts['previous not used']++;
      const isRight = limit === limitOf(expected.revision) || (limit === null && expected.revision === 0);
      if (!isRight && !(limit === null && expected.mayRefuse)) counts.wrong++;
    } catch (error) {
      console.error(expected.kind, error);
      counts['did not start']++;
    }
    rmSync(dataDir, { recursive: true });
  };
  for (let i = 0; i < files; i += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, files - i) }, (_, j) => start(i + j)));
  }
  return { counts, kinds: `${kinds.size}: ${[...kinds].sort().join(', ')}` };
}

/** Writes both generations, the newest one damaged. */
async function damage(
  file: string,
  bytes: { newest: Buffer; previous: Buffer },
  generations: { before: LastGood; content: LastGood },
  random: Random,
): Promise<Expected> {
  const isAlone = random.below(ALONE) === 0;
  const kinds = [...Object.keys(BYTE_DAMAGE), ...Object.keys(FORGED), ...Object.keys(FORGED_TENANTS)];
  const kind = random.pick(kinds);
  const { before, content } = generations;
  const inBytes = BYTE_DAMAGE[kind];
  const forged =
    FORGED[kind]?.(content, before, random) ?? FORGED_TENANTS[kind]?.(content, random) ?? content;
  await new LastGoodFile(file).write(forged);
  if (inBytes !== undefined) {
    const damaged = inBytes(bytes, random);
    await writeFile(file, damaged);
    if (isAlone) await writeFile(`${file}.previous`, inBytes(bytes, random));
    else await writeFile(`${file}.previous`, bytes.previous);
    const isWhole = damaged.equals(bytes.newest) ? 2 : damaged.equals(bytes.previous) ? 1 : 0;
    return { kind, revision: isWhole || (isAlone ? 0 : 1), mayRefuse: false };
  }
  if (!isAlone) await writeFile(`${file}.previous`, bytes.previous);
  if (kind in FORGED_TENANTS) return { kind, revision: 2, mayRefuse: true };
  return { kind, revision: isAlone ? 0 : 1, mayRefuse: false };
}

/** Starts a node from disk alone. @returns the policy that it decides by; null if it cannot decide */
async function decideAlone(dataDir: string, publicKey: string, tenant: string) {
  const plane = await DecisionPlane.start({
    countersUrl: NOWHERE,
    configUrl: NOWHERE,
    policyKeys: [publicKey],
    nodeId: 'node-1',
    version: 'chaos',
    dataDir,
  });
  try {
    const { revision } = plane;
    const answer = await plane.peek({ tenant, api: API, operation: OPERATION }).catch(() => undefined);
    return { revision, limit: answer?.limit ?? null };
  } finally {
    await plane.close();
  }
}

/** Kills processes while they write; every confirmed file must be on disk and complete. */
async function killWriters(folder: string, random: Random, kills: number) {
  const signingKey = newSigningKey();
  const counts = { killed: 0, between: 0, lost: 0 };
  const work = async (index: number) => {
    const file = path.join(folder, `writer-${index}`);
    let next = 1;
    while (counts.killed < kills) {
      counts.killed++;
      const told = await writeUntilKilled(file, signingKey, next, random.below(KILLED_WITHIN_MS));
      const whole: number[] = [];
      for await (const generation of new LastGoodFile(file).generations()) whole.push(revisionOf(generation));
      const [newest = 0] = whole;
      if (newest < told) counts.lost++;
      if (newest > told) counts.between++;
      next = newest + 1;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => work(index)));
  return counts;
}

/** @returns the last revision reported as on disk */
async function writeUntilKilled(
  file: string,
  signingKey: string,
  first: number,
  afterMs: number,
): Promise<number> {
  const args = ['--no-warnings', WRITER, file, signingKey, String(first), String(TENANTS)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = 0;
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    told = Number(line);
  });
  await once(lines, 'line');
  await delay(afterMs);
  const ended = Promise.all([once(lines, 'close'), once(child, 'exit')]);
  child.kill('SIGKILL');
  await ended;
  return told;
}

/** The revision of all parts; 0 if they differ or are missing. */
function revisionOf({ head, catalogue, tenants }: LastGood): number {
  const revisions = [head, catalogue, ...tenants.map(([, stored]) => stored)].map((stored) =>
    Number(/"revision":(\d+)/.exec(stored)?.[1]),
  );
  const [revision = 0] = revisions;
  return tenants.length === TENANTS && revisions.every((one) => one === revision) ? revision : 0;
}
