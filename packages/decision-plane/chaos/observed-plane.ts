import { AsyncLocalStorage } from 'node:async_hooks';
import type { AmendAnswer, LimitAnswer, LimitRequest } from '@tollgate/contracts';
import { DecisionPlane, type DecisionPlaneOptions } from '@tollgate/decision-plane';
import type { DecisionStore, StoreReply } from '@tollgate/decision-plane/internals';
import type { Amending, AskVerb, Outcome } from './yard-node.ts';

/** What an oracle needs and an answer does not tell: the store's time of each decision, and the nodes that are counted. */
interface Innards {
  readonly node: Node;
}

interface Node {
  readonly counters: { readonly store: DecisionStore };
  readonly reporter: { readonly nodes: number; reportNow(): void };
}

/** A decision plane that is watched: each outcome carries the store's time. */
export class ObservedPlane {
  private readonly replies = new AsyncLocalStorage<{ reply?: StoreReply }>();
  private readonly innards: Node;
  private readonly plane: DecisionPlane;
  private readonly name: string;
  private asked = 0;

  private constructor(plane: DecisionPlane, name: string) {
    this.plane = plane;
    this.name = name;
    // By design, nothing outside needs them; an oracle that trusted the answers would only compare the engine with itself.
    this.innards = (plane as unknown as Innards).node;
    const { store } = this.innards.counters;
    const decide = store.decide.bind(store);
    store.decide = async (request) => {
      const reply = await decide(request);
      const seen = this.replies.getStore();
      if (seen !== undefined) seen.reply = reply;
      return reply;
    };
  }

  static async start(options: DecisionPlaneOptions): Promise<ObservedPlane> {
    return new ObservedPlane(await DecisionPlane.start(options), options.nodeId);
  }

  /** Live nodes as this one counts them; makes it count again. */
  liveNodes(): number {
    this.innards.reporter.reportNow();
    return this.innards.reporter.nodes;
  }

  /** Never rejects: what is thrown is an outcome. */
  async ask(request: LimitRequest, verb: AskVerb = 'limit'): Promise<Outcome> {
    const seen: { reply?: StoreReply } = {};
    const n = this.asked++;
    const startMs = performance.now();
    const startUs = Date.now() * 1000;
    let answer: LimitAnswer | undefined;
    let thrown: string | undefined;
    try {
      answer = await this.replies.run(seen, () => this.call(request, verb));
    } catch (error) {
      thrown = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
    const latencyUs = Math.round((performance.now() - startMs) * 1000);
    const reply = seen.reply?.available === true ? seen.reply : undefined;
    return {
      node: this.name,
      n,
      key: `${request.operation} ${request.subject?.user ?? ''}`,
      atUs: reply?.nowUs ?? (answer?.degraded === true ? Date.now() * 1000 : startUs),
      fromStore: reply !== undefined,
      success: answer?.success ?? false,
      degraded: answer?.degraded ?? false,
      reason: answer?.reason ?? '',
      used: answer?.used ?? 0,
      remaining: answer?.remaining ?? 0,
      delayMs: answer?.delayMs ?? 0,
      retryAfter: answer === undefined ? 0 : answer.retryAfter,
      latencyUs,
      ...(verb === 'peek' && answer !== undefined ? { left: leftOf(answer) } : {}),
      ...(thrown === undefined ? {} : { thrown }),
    };
  }

  amend(amending: Amending): Promise<AmendAnswer> {
    const { verb, ...request } = amending;
    return verb === 'release'
      ? this.plane.release(request)
      : this.plane.settle({ ...request, cost: (amending as { cost: number }).cost });
  }

  close(): Promise<void> {
    return this.plane.close();
  }

  private call(request: LimitRequest, verb: AskVerb): Promise<LimitAnswer> {
    if (verb === 'limit') return this.plane.limit(request);
    if (verb === 'peek') return this.plane.peek(request);
    return this.plane.reserve({ ...request, expiresInMs: 1000 });
  }
}

function leftOf({ policies }: LimitAnswer): Record<string, number> {
  return Object.fromEntries(policies.map(({ name, remaining }) => [name, remaining]));
}
