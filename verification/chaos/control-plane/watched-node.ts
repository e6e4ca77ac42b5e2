import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TollgateError } from '@tollgate/contracts';
import type { DecisionPlane, DecisionPlaneEvent } from '@tollgate/decision-plane';
import type { Random } from '@tollgate/test-kit/random';
import { API, OPERATION } from './policy-stack.ts';

const ASK_EVERY_MS = 10;

/** A decision, reduced to the fields that identify its version, and how often it occurred. */
export interface Seen {
  readonly tenant: string;
  readonly revision: number;
  readonly limit: number | null;
  count: number;
}

/** An observed node: its revisions over time and its decisions. */
export class WatchedNode {
  readonly decisions = new Map<string, Seen>();
  /** Errors of decisions. */
  readonly thrown: string[] = [];
  backwards = 0;
  private readonly steps: { revision: number; atMs: number }[] = [];
  private plane: DecisionPlane | undefined;
  private asking = true;
  private loop: Promise<void> = Promise.resolve();

  /** Receives all events of the node. */
  readonly onEvent = (event: DecisionPlaneEvent): void => {
    if (event.kind !== 'revision') return;
    const last = this.steps.at(-1)?.revision ?? 0;
    if (event.revision < last) this.backwards++;
    if (event.revision > last) this.steps.push({ revision: event.revision, atMs: performance.now() });
  };

  get revision(): number {
    return this.plane?.revision ?? 0;
  }

  /** When it applied this revision or skipped to a later one, ms; undefined: not yet. */
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

  /** Digest of the limits that the node would apply to all these tenants. */
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
