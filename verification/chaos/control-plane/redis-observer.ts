import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Catalogue, TenantRecord } from '@tollgate/contracts';

/** Expected content of Redis at one revision, in the simplest form: the limit of each tenant. */
type Limits = ReadonlyMap<string, number | undefined>;

const TENANT = 'tg:policy:tenant:';

/** Reads every command that Redis runs, in order, to know each revision even if its writer is killed. */
export class Observer {
  /** When each revision was written, on this process's clock, ms. */
  readonly writtenAtMs = new Map<number, number>();
  newest = 0;
  private readonly limits = new Map<number, Limits>();
  private readonly tenants = new Map<string, TenantRecord>();
  private catalogue: Catalogue | undefined;
  private readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
  }

  /**
   * Starts MONITOR on a separate socket: ioredis 6 throws an uncaught error when the first command of another client
   * arrives in the same packet as the OK for MONITOR.
   */
  static async start(url: string): Promise<Observer> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const observer = new Observer(socket);
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => observer.read(line));
    socket.write('MONITOR\r\n');
    const [answer] = await once(lines, 'line');
    if (answer !== '+OK') throw new Error(`MONITOR: ${answer}`);
    return observer;
  }

  /** The expected decision under this revision; undefined for an unknown revision. */
  limitOf(revision: number, tenant: string): number | undefined {
    return this.limits.get(revision)?.get(tenant);
  }

  stop(): void {
    this.socket.destroy();
  }

  /** `+<seconds> [<database> <client>] "set" "key" "value"`, with quotes and backslashes escaped by a backslash. */
  private read(line: string): void {
    const [name = '', key = '', value = ''] = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(
      ([, text = '']) => text.replace(/\\(["\\])/g, '$1'),
    );
    this.apply(name.toLowerCase(), key, value);
  }

  // Redis lists the commands of a script in order: tenants, catalogue, head.
  private apply(name: string, key: string, value: string): void {
    if (name !== 'set') return;
    if (key.startsWith(TENANT)) this.tenants.set(key.slice(TENANT.length), parse<TenantRecord>(value));
    else if (key === 'tg:policy:catalogue') this.catalogue = parse<Catalogue>(value);
    else if (key === 'tg:policy:head') this.note(parse<{ revision: number }>(value).revision);
  }

  private note(revision: number): void {
    this.newest = revision;
    this.writtenAtMs.set(revision, performance.now());
    const tiers = new Map(this.catalogue?.tiers.map((tier) => [tier.key, tier]));
    const limits = new Map<string, number | undefined>();
    for (const { tenant, tier: key, pinnedVersion } of this.tenants.values()) {
      const tier = tiers.get(key);
      const number = pinnedVersion ?? tier?.currentVersion;
      const [rule] = tier?.versions.find((version) => version.number === number)?.limits ?? [];
      limits.set(tenant, rule !== undefined && 'limit' in rule ? rule.limit : undefined);
    }
    this.limits.set(revision, limits);
  }
}

/** The content of a sealed record. */
function parse<T>(stored: string): T {
  return JSON.parse(stored.slice(stored.indexOf('{'))) as T;
}
