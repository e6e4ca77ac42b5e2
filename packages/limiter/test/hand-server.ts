import { Lane, type LaneOptions } from '../src/redis/lane.js';
import { LaneGroup } from '../src/redis/lane-group.js';
import type { CallTiming } from '../src/scripts/decide.js';
import type {
  Amended,
  Amendment,
  Decided,
  StoreRequest,
  UnavailableReason,
} from '../src/stores/decision-store.js';
import { compiled, fixedWindowPolicy } from './policies.js';

export const { policy } = compiled(fixedWindowPolicy());
/** A request for one limit. */
export const request: StoreRequest = { checks: [{ key: '{acme}:1', policy, cost: 1 }], peek: false };
const passed = { allowed: true, over: false, remaining: 1, waitUs: 0, resetAfterUs: 0 };
/** Its reply. */
export const passing: Decided = {
  available: true,
  nowUs: 1,
  allowed: true,
  checks: [passed],
  replayed: false,
};
/** An amendment. */
export const reset: Amendment = { op: 'reset', keys: ['{acme}:1'] };
/** Its reply. */
export const applied: Amended = {
  available: true,
  nowUs: 1,
  status: 'applied',
  units: 1,
  remaining: 0,
  resetAfterUs: 0,
};

interface Call {
  requests: readonly StoreRequest[];
  isGeneral: boolean;
  options: CallTiming;
  route: string;
  reply: (decided: readonly (Decided | undefined)[]) => void;
  /** Allows all requests. */
  answer: (nowUs?: number) => void;
  fail: (error: Error) => void;
}

/** A server with manual replies. */
export class HandServer {
  readonly calls: Call[] = [];
  readonly failures: UnavailableReason[] = [];
  connected = true;
  sendAmendment = (): Promise<Amended> => Promise.resolve(applied);

  lane(deadlineMs: number, over: Partial<LaneOptions> = {}): Lane {
    return new Lane({ ...this.options(deadlineMs), ...over });
  }

  lanes(deadlineMs: number): LaneGroup {
    return new LaneGroup(this.options(deadlineMs));
  }

  private options(deadlineMs: number): LaneOptions {
    return {
      deadlineMs,
      isConnected: () => this.connected,
      onFailure: (reason) => this.failures.push(reason),
      sendAmendment: () => this.sendAmendment(),
      send: ({ requests, family }, options, route) =>
        new Promise((reply, fail) => {
          const answer = (nowUs = 1) =>
            reply(requests.map(({ checks }) => ({ ...passing, nowUs, checks: checks.map(() => passed) })));
          this.calls.push({ requests, isGeneral: family === undefined, options, route, reply, answer, fail });
        }),
    };
  }
}

/** Resolves after one turn of the event loop. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));
