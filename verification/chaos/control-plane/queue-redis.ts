import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedRedis, startRedis } from '@tollgate/embedded';
import { Redis } from 'ioredis';

const QUEUES = ['jobs', 'policy'];

/** The Redis of the job queue with an append-only file, so that it survives a kill. */
export class QueueRedis {
  private readonly home: string;
  private readonly redis: Redis;
  private server: EmbeddedRedis;

  private constructor(home: string, server: EmbeddedRedis) {
    this.home = home;
    this.server = server;
    this.redis = new Redis(server.url);
    // It is killed on purpose.
    this.redis.on('error', () => undefined);
  }

  static async start(): Promise<QueueRedis> {
    const home = mkdtempSync(path.join(tmpdir(), 'tollgate-queue-'));
    return new QueueRedis(home, await startIn(home));
  }

  get url(): string {
    return this.server.url;
  }

  /** `kill -9` and restart from the append-only file. */
  async crash(): Promise<void> {
    this.server.kill('SIGKILL');
    await this.server.exited;
    this.server = await startIn(this.home, this.server.port);
  }

  /** Started jobs, each with the name of its queue. */
  async active(): Promise<Set<string>> {
    const all = await Promise.all(
      QUEUES.map(async (queue) => {
        const ids = await this.redis.lrange(`{tollgate:jobs}:${queue}:active`, 0, -1);
        return ids.map((id) => `${queue} ${id}`);
      }),
    );
    return new Set(all.flat());
  }

  /** Schedules that have a next tick. */
  async scheduled(): Promise<number> {
    const each = QUEUES.map((queue) => this.redis.zcard(`{tollgate:jobs}:${queue}:repeat`));
    return (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await this.server.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

function startIn(home: string, port?: number): Promise<EmbeddedRedis> {
  const dir = path.join(home, 'data');
  return startRedis({ dir, kind: 'redis-server', durable: true, ...(port === undefined ? {} : { port }) });
}
