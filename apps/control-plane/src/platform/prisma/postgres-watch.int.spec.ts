import { connect, createServer, type Socket } from 'node:net';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { createTestDatabase, type TestDatabase } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDatabaseUnavailable } from './database.js';

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** What a session sends when its server process has died. */
function postmasterExit(): Buffer {
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0');
  const head = Buffer.from('E\0\0\0\0');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** A way to Postgres that can be made to drop all bytes and to forward them again. */
class Way {
  /** Ends each new session in the same packet that says it is ready. */
  endsSessions = false;
  private readonly sockets = new Set<Socket>();
  private isBlocked = false;
  private readonly server = createServer((near) => this.lead(near));

  constructor(private readonly target: URL) {}

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this.address();
  }

  address(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as { port: number }).port);
    return url.href;
  }

  block(isBlocked: boolean): void {
    this.isBlocked = isBlocked;
    for (const socket of this.sockets) isBlocked ? socket.pause() : socket.resume();
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private lead(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        const ends = this.endsSessions && from === far && bytes.subarray(-READY.length).equals(READY);
        to.write(ends ? Buffer.concat([bytes, postmasterExit()]) : bytes);
        if (ends) to.end();
      });
      from.on('close', () => to.destroy());
      from.on('error', () => undefined);
      if (this.isBlocked) from.pause();
    }
  }
}

let testDatabase: TestDatabase;
let way: Way;
let client: PrismaClient;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  way = new Way(new URL(testDatabase.ownerUrl));
  client = createPrismaClient(await way.open(), { max: 2 });
});
afterAll(async () => {
  await client.$disconnect();
  way.close();
  await testDatabase.drop();
});

const asks = {
  'a statement': (through = client) => through.$queryRaw`SELECT 1`,
  'a batch': (through = client) => through.$transaction([through.$queryRaw`SELECT 1`]),
  'a transaction': (through = client) => through.$transaction((tx) => tx.$queryRaw`SELECT 1`),
};

describe('a silent Postgres', () => {
  it('fails waiting and new statements as unavailable, and recovers when it answers', async () => {
    await Promise.all(Object.values(asks).map((ask) => ask()));
    way.block(true);
    // Three at once on two connections: one of them waits for its turn.
    for (const when of ['under way', 'later']) {
      const outcomes = await Promise.allSettled(Object.values(asks).map((ask) => ask()));
      for (const [index, what] of Object.keys(asks).entries()) {
        const outcome = outcomes[index] as PromiseRejectedResult;
        expect({ what, when, isUnavailable: isDatabaseUnavailable(outcome.reason), outcome }).toMatchObject({
          isUnavailable: true,
        });
      }
    }
    way.block(false);
    await expect.poll(() => asks['a batch']().then(() => 'served', String)).toBe('served');
    await Promise.all(Object.values(asks).map((ask) => ask()));
  });

  it('that ends a session as soon as it is open fails the statements, not the process', async () => {
    const fresh = createPrismaClient(way.address(), { max: 2 });
    way.endsSessions = true;
    const outcomes = await Promise.allSettled(Object.values(asks).map((ask) => ask(fresh)));
    for (const outcome of outcomes) {
      expect(outcome.status).toBe('rejected');
      expect(isDatabaseUnavailable((outcome as PromiseRejectedResult).reason)).toBe(true);
    }
    way.endsSessions = false;
    await expect.poll(() => asks['a batch'](fresh).then(() => 'served', String)).toBe('served');
    await fresh.$disconnect();
  });

  it('is not confused with a slow one', async () => {
    expect(await client.$queryRaw`SELECT 1 AS n FROM pg_sleep(3.5)`).toEqual([{ n: 1 }]);
  });
});
