import type { Redis } from 'ioredis';
import { PROBE_SLOTS_SCRIPT } from '../generated/scripts.js';
import { ownTag } from '../rules/keys.js';
import { runScript, scriptOf } from '../scripts/script.js';
import type { ClusterCounts, SlotMode } from './cluster-counts.js';
import type { NodeKey } from './cluster-shards.js';
import { slotOf } from './slots.js';

const script = scriptOf(PROBE_SLOTS_SCRIPT);

/** More than one, because a slot may move during a probe. */
const PROBES = 3;
const RETRY_AFTER_MS = 250;

/** Enough to find slots of a master and of another one among hundreds of masters. */
const MOST_KEYS = 20_000;

export interface SlotModesOptions {
  readonly connectionOf: (node: NodeKey) => Redis | undefined;
  readonly ownerOf: (slot: number) => NodeKey | undefined;
  readonly counts: ClusterCounts;
  readonly onWarning: (message: string) => void;
}

interface Probing {
  mode: SlotMode | undefined;
  failed: number;
  isRunning: boolean;
  notBeforeMs: number;
}

/**
 * Whether the connection to a master may use several slots in one script run: some managed services and proxies refuse it, or
 * would hide that a slot has moved. Each connection is probed before it is used in this way: a script must write and read two
 * slots of the master and fail to read a slot of another one.
 */
export class SlotModes {
  private readonly nodes = new Map<NodeKey, Probing>();

  constructor(private readonly options: SlotModesOptions) {}

  /** Until the probe has passed, false. */
  isAcross(node: NodeKey): boolean {
    const probing = this.nodes.get(node) ?? this.connected(node);
    if (probing.mode === undefined && !probing.isRunning && performance.now() >= probing.notBeforeMs)
      void this.probe(node, probing);
    return probing.mode === 'across';
  }

  /** After a new connection, which may lead to another server. */
  connected(node: NodeKey): Probing {
    this.gone(node);
    const probing: Probing = { mode: undefined, failed: 0, isRunning: false, notBeforeMs: 0 };
    this.nodes.set(node, probing);
    return probing;
  }

  gone(node: NodeKey): void {
    const mode = this.nodes.get(node)?.mode;
    if (mode !== undefined) this.options.counts.connections[mode]--;
    this.nodes.delete(node);
  }

  /** The server refused a run over several slots: until the next connection, it gets none. */
  refused(node: NodeKey, message: string): void {
    const probing = this.nodes.get(node);
    if (probing !== undefined && probing.mode !== 'declared') this.decline(node, probing, message);
  }

  private async probe(node: NodeKey, probing: Probing): Promise<void> {
    const redis = this.options.connectionOf(node);
    const keys = this.keysFor(node);
    if (redis === undefined || keys === undefined) {
      probing.notBeforeMs = performance.now() + RETRY_AFTER_MS;
      return;
    }
    probing.isRunning = true;
    const failure = await probeFailure(redis, keys);
    probing.isRunning = false;
    if (this.nodes.get(node) !== probing || probing.mode !== undefined) return;
    if (failure === undefined) {
      this.setMode(probing, 'across');
      return;
    }
    probing.notBeforeMs = performance.now() + RETRY_AFTER_MS;
    if (failure === 'moved') return;
    probing.failed++;
    if (probing.failed === PROBES) this.decline(node, probing, failure);
  }

  private decline(node: NodeKey, probing: Probing, message: string): void {
    this.setMode(probing, 'declared');
    this.options.onWarning(
      `${node} does not permit scripts over several slots, so each slot gets its own calls, at several times the CPU: ${message}`,
    );
  }

  private setMode(probing: Probing, mode: SlotMode): void {
    const { connections } = this.options.counts;
    if (probing.mode !== undefined) connections[probing.mode]--;
    probing.mode = mode;
    connections[mode]++;
  }

  /** Keys in two slots of the node and, unless it has all slots, in one of another. Undefined for a node with fewer. */
  private keysFor(node: NodeKey): { own: [string, string]; foreign: string } | undefined {
    const own: string[] = [];
    let foreign = '';
    // Each probe uses other slots, so one that is migrating fails only one of them.
    const first = Math.floor(Math.random() * MOST_KEYS);
    for (let i = first; i < first + MOST_KEYS && (own.length < 2 || foreign === ''); i++) {
      const key = `{${ownTag(`slot-${i}`)}}`;
      const owner = this.options.ownerOf(slotOf(key));
      if (owner === node) own.push(key);
      else if (owner !== undefined) foreign = key;
    }
    const [anchor, other] = own;
    return anchor === undefined || other === undefined ? undefined : { own: [anchor, other], foreign };
  }
}

/** Undefined if the probe passed; `moved` if it proved nothing. */
async function probeFailure(
  redis: Redis,
  { own: [anchor, other], foreign }: { own: [string, string]; foreign: string },
): Promise<string | undefined> {
  try {
    const hasPassed = await runScript(redis, script, [anchor], [other, foreign]);
    return hasPassed === 1 ? undefined : 'a slot of another master was read';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /^(ERR|NOPERM)\b/.test(message) && !message.includes('non local key') ? message : 'moved';
  }
}
