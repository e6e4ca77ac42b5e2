import type { Redis } from 'ioredis';
import type { CounterStore } from '../stores/decision-store.js';
import { evictionFindings } from './counter-requirements.js';
import { readServerInfo, type ServerInfo } from './server-checks.js';

const READ_EVERY_MS = 1000;

/** Memory is short while less than this fraction is free. */
const SHORT_PART = 0.2;

/** Fraction of the free memory for the new counters of one tenant. */
const TENANT_PART = 0.1;

/** The memory and the evictions of the counter servers. */
export interface CounterMemoryCounts {
  /** Of the server with the smallest free fraction, bytes; undefined: not read yet, or no server has a `maxmemory`. */
  readonly fullest: { readonly usedBytes: number; readonly maxBytes: number } | undefined;
  /** Since the start of the servers. */
  readonly evictedKeys: number;
}

export interface CounterMemoryOptions {
  counters: Pick<CounterStore, 'servers' | 'clientFor'>;
  /** Live nodes, at least 1. */
  nodes: () => number;
  onEvictingPolicy: (message: string) => void;
  /** Called once per reading in which the number of evicted keys grew. */
  onEvicted: () => void;
}

interface Reading {
  readonly usedBytes: number;
  /** 0: unbounded. */
  readonly maxBytes: number;
  readonly evictedKeys: number;
  /** Warnings about the configuration. */
  readonly warnings: readonly string[];
  /** Bytes of counters that this node created since. */
  createdBytes: number;
}

/** Reads the memory of the counter servers once a second, and estimates it between: decisions need no further call. */
export class CounterMemory {
  private readings = new Map<Redis, Reading>();
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;

  constructor(private readonly options: CounterMemoryOptions) {}

  start(): void {
    this.timer ??= setInterval(() => void this.read(), READ_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Messages about servers that would evict counters. */
  get warnings(): readonly string[] {
    return [...new Set([...this.readings.values()].flatMap(({ warnings }) => warnings))];
  }

  get counts(): CounterMemoryCounts {
    const readings = [...this.readings.values()];
    const bounded = readings.filter(({ maxBytes }) => maxBytes > 0);
    bounded.sort((a, b) => b.usedBytes / b.maxBytes - a.usedBytes / a.maxBytes);
    return {
      fullest: bounded[0],
      evictedKeys: readings.reduce((sum, { evictedKeys }) => sum + evictedKeys, 0),
    };
  }

  /** Reads at once. Never rejects; a server without a reply keeps its last reading. */
  read(): Promise<void> {
    this.reading ??= this.readServers().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /**
   * Bytes of new counters that a tenant may create on this node within an hour: a tenth of the free memory, shared by the nodes, while
   * memory is short; otherwise Infinity. The server's free memory then shrinks by at most a tenth per tenant and hour.
   * @param key of the counter
   */
  tenantBytes(key: string): number {
    const reading = this.readingOf(key);
    if (reading === undefined || reading.maxBytes === 0) return Number.POSITIVE_INFINITY;
    const { usedBytes, maxBytes, createdBytes } = reading;
    const nodes = this.options.nodes();
    const freeBytes = maxBytes - usedBytes - createdBytes * nodes;
    if (freeBytes > SHORT_PART * maxBytes) return Number.POSITIVE_INFINITY;
    return Math.max(0, TENANT_PART * freeBytes) / nodes;
  }

  created(key: string, bytes: number): void {
    const reading = this.readingOf(key);
    if (reading !== undefined) reading.createdBytes += bytes;
  }

  private readingOf(key: string): Reading | undefined {
    if (this.readings.size === 0) return undefined;
    try {
      return this.readings.get(this.options.counters.clientFor(key));
    } catch {
      // The cluster is not connected.
      return undefined;
    }
  }

  private async readServers(): Promise<void> {
    const servers = this.options.counters.servers();
    const readings = await Promise.all(servers.map((server) => this.readServer(server)));
    const entries = servers.flatMap((server, i): [Redis, Reading][] => {
      const reading = readings[i];
      return reading === undefined ? [] : [[server, reading]];
    });
    const before = this.readings;
    this.readings = new Map(entries);
    this.report(before);
  }

  private async readServer(server: Redis): Promise<Reading | undefined> {
    if (server.status !== 'ready') return this.readings.get(server);
    const createdBefore = this.readings.get(server)?.createdBytes ?? 0;
    try {
      const reading = readingOf(readServerInfo(await server.info('memory', 'stats')));
      // Counters created while the reply was on its way may not be in it.
      reading.createdBytes = (this.readings.get(server)?.createdBytes ?? 0) - createdBefore;
      return reading;
    } catch {
      return this.readings.get(server);
    }
  }

  private report(before: ReadonlyMap<Redis, Reading>): void {
    const { onEvicted, onEvictingPolicy } = this.options;
    let hasEvicted = false;
    const changed = new Set<string>();
    for (const [server, { evictedKeys, warnings }] of this.readings) {
      const last = before.get(server);
      // The first reading belongs to the checks at the start.
      if (last === undefined) continue;
      hasEvicted ||= evictedKeys > last.evictedKeys;
      for (const message of warnings) if (!last.warnings.includes(message)) changed.add(message);
    }
    for (const message of changed) onEvictingPolicy(message);
    if (hasEvicted) onEvicted();
  }
}

function readingOf(info: ServerInfo): Reading {
  const number = (field: string) => Number(info.get(field) ?? 0);
  return {
    // Buffers of replicas and of the append-only file do not count toward maxmemory.
    usedBytes: number('used_memory') - number('mem_not_counted_for_evict'),
    maxBytes: number('maxmemory'),
    evictedKeys: number('evicted_keys'),
    warnings: evictionFindings(info).map(({ message }) => `counter redis: ${message}`),
    createdBytes: 0,
  };
}
