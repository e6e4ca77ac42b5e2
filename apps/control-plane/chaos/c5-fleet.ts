import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TollgateError } from '@tollgate/contracts';
import type { DecisionPlane, DecisionPlaneEvent } from '@tollgate/decision-plane';
import { API, OPERATION } from './policy-plant.ts';
import type { Random } from './random.ts';

const ASK_EVERY_MS = 10;

/** A decision as far as it tells by which version it was made, and how often it was made so. */
export interface Seen {
  readonly tenant: string;
  readonly revision: number;
  readonly limit: number | null;
  count: number;
}

/** A node that is watched: which revision it ran when, and what it decided by. */
export class WatchedNode {
  readonly decisions = new Map<string, Seen>();
  /** What decisions failed with. */
  readonly thrown: string[] = [];
  backwards = 0;
  private readonly steps: { revision: number; atMs: number }[] = [];
  private plane: DecisionPlane | undefined;
  private asking = true;
  private loop: Promise<void> = Promise.resolve();

  /** To be told of everything that the node tells. */
  readonly onEvent = (event: DecisionPlaneEvent): void => {
    if (event.kind !== 'revision') return;
    const last = this.steps.at(-1)?.revision ?? 0;
    if (event.revision < last) this.backwards++;
    if (event.revision > last) this.steps.push({ revision: event.revision, atMs: performance.now() });
  };

  get revision(): number {
    return this.plane?.revision ?? 0;
  }

  /** When it came to this revision or, where it went past it, to a later one, ms; undefined: not yet. */
  reachedMs(revision: number): number | undefined {
    return this.steps.find((step) => step.revision >= revision)?.atMs;
  }

  ask(plane: DecisionPlane, tenants: readonly string[], random: Random): void {
    this.plane = plane;
    this.loop = (async () => {
      while (this.asking) {
        await Promise.all([this.decide(plane, random.pick(tenants)), delay(ASK_EVERY_MS)]);
      }
    })();
  }

  /** What the node would decide by for all of these, in one word. */
  async versionHash(tenants: readonly string[]): Promise<string> {
    const all = await Promise.all(tenants.map(async (tenant) => this.plane?.limitsOf(tenant, API)));
    return hash('sha256', JSON.stringify(all), 'hex');
  }

  async close(): Promise<void> {
    this.asking = false;
    await this.loop;
    await this.plane?.close();
  }

  private async decide(plane: DecisionPlane, tenant: string): Promise<void> {
    try {
      const { revision, limit } = await plane.limit({ tenant, api: API, operation: OPERATION });
      const name = `${revision} ${tenant} ${limit}`;
      const seen = this.decisions.get(name);
      if (seen === undefined) this.decisions.set(name, { tenant, revision, limit, count: 1 });
      else seen.count++;
    } catch (error) {
      this.thrown.push(error instanceof TollgateError ? `${error.code}: ${error.internal}` : String(error));
    }
  }
}
