// Compares RedisStore with its script under a plain, pipelined load of the same keys and batches.
// Usage: pnpm bench -- --only raw [--rounds 5] [--ms 2000]
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { RedisStore, type StoreRequest } from '@tollgate/decision-plane/internals';
import { DECIDE_SCRIPT } from '#src/generated/scripts.js';
import { encodeBatch } from '#src/scripts/decide.js';
import { scriptOf } from '#src/scripts/script.js';
import { startBenchServer, whereMeasured } from './bench-server.ts';
import { checkOf, compiledBy, RULES, randomNumber } from './fixtures.ts';
import { benchOptions, closedLoop, medianRound, type Round } from './measure.ts';
import { printTable, thousands, times } from './table.ts';

/**
 * Sends pre-encoded calls of the decide script over a plain socket, and reads only the length of each reply. This
 * isolates the server's work as far as possible from one process.
 */
class RawLoad {
  private readonly waiting: (() => void)[] = [];
  private unread: Buffer = Buffer.alloc(0);

  private readonly socket: Socket;
  private readonly calls: readonly Buffer[];

  private constructor(socket: Socket, calls: readonly Buffer[]) {
    this.socket = socket;
    this.calls = calls;
    socket.on('data', (bytes) => this.read(bytes));
  }

  static async open(port: number, calls: readonly Buffer[]): Promise<RawLoad> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new RawLoad(socket, calls);
  }

  /** Resolves when the call's reply has arrived. @param n number of the call; calls repeat */
  send(n: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.socket.write(this.calls[n % this.calls.length] as Buffer);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(bytes: Buffer): void {
    this.unread = this.unread.length === 0 ? bytes : Buffer.concat([this.unread, bytes]);
    for (;;) {
      const end = this.unread.indexOf('\r\n');
      if (end === -1) return;
      if (this.unread[0] !== 0x24) throw new Error(this.unread.toString('latin1', 0, end));
      const next = end + 4 + Number(this.unread.toString('latin1', 1, end));
      if (this.unread.length < next) return;
      this.unread = this.unread.subarray(next);
      this.waiting.shift()?.();
    }
  }
}

/** Encodes a call that decides `requests`. @param sha of the script, which the server must know */
function encodeCall(sha: string, requests: readonly StoreRequest[]): Buffer {
  const { keys, payload } = encodeBatch(requests);
  const words = ['EVALSHA', sha, String(keys.length), ...keys, payload, '', ''];
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = Buffer.from(word);
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}

const KEYS = 100_000;
const TENANTS = 1_000;
const BATCH = 256;
const CALLS = 1_000;
const IN_FLIGHT = [2, 3, 4];

const { rounds, ms } = benchOptions();
const server = await startBenchServer();
const store = new RedisStore({ url: server.url, deadlineMs: 1000 });
await store.connected(5000);
const script = scriptOf(DECIDE_SCRIPT);
await store.redis.script('LOAD', script.text);
console.log(`${whereMeasured()}; ${server.kind}, ${thousands(KEYS)} keys, calls of ${BATCH} decisions`);

for (const rule of ['gcra', 'fixed_window'] as const) {
  const of = RULES[rule];
  if (of === undefined) throw new Error(`no rule ${rule}`);
  const limit = compiledBy(of);
  const request = () => ({ checks: [checkOf(limit, randomNumber(KEYS), TENANTS)], peek: false });
  const calls = Array.from({ length: CALLS }, () =>
    encodeCall(script.sha, Array.from({ length: BATCH }, request)),
  );
  const raw = await RawLoad.open(server.port, calls);
  const measured = new Map<string, Round[]>();
  const add = (name: string, round: Round) => measured.set(name, [...(measured.get(name) ?? []), round]);
  for (let i = 0; i < rounds; i++) {
    add(
      'RedisStore, 512 in flight',
      await closedLoop(() => store.decide(request()), 2 * BATCH, ms, server.cpuUs),
    );
    for (const inFlight of IN_FLIGHT) {
      const calls = await closedLoop((n) => raw.send(n), inFlight, ms, server.cpuUs);
      add(`plain socket, ${inFlight} calls in flight`, {
        ...calls,
        opsPerSecond: calls.opsPerSecond * BATCH,
        cpuUsPerOp: calls.cpuUsPerOp / BATCH,
        serverUsPerOp: calls.serverUsPerOp / BATCH,
      });
    }
  }
  raw.close();
  const medians = [...measured].map(([name, all]) => [name, medianRound(all)] as const);
  const ours = medians[0]?.[1].opsPerSecond ?? Number.NaN;
  printTable(
    `${rule}: RedisStore and plain load`,
    ['', 'decisions/s', 'client CPU per decision', 'server CPU', 'RedisStore ÷ this'],
    medians.map(([name, round]) => [
      name,
      thousands(round.opsPerSecond),
      `${round.cpuUsPerOp.toFixed(2)} µs`,
      `${round.serverUsPerOp.toFixed(2)} µs`,
      times(ours / round.opsPerSecond),
    ]),
  );
}
await store.close();
await server.stop();
