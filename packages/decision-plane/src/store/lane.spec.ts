import { describe, expect, it, vi } from 'vitest';
import { compiled, fixedWindowPolicy } from '../../test/policies.js';
import type { BatchReply, BatchRequest } from '../scripts/decide.js';
import type { StoreReply, UnavailableReason } from './decision-store.js';
import { Lane } from './lane.js';

const { policy } = compiled(fixedWindowPolicy());
const checks = [{ key: '{acme}:1', policy, cost: 1 }];
const passing = { allowed: true, remaining: 1, retryAfterUs: 0, resetAfterUs: 0 };

/** A server whose answers are given by hand. */
class Server {
  readonly calls: { requests: readonly BatchRequest[]; answer: () => void; fail: (error: Error) => void }[] =
    [];
  readonly failures: UnavailableReason[] = [];
  connected = true;

  lane(deadlineMs: number): Lane {
    return new Lane({
      deadlineMs,
      isConnected: () => this.connected,
      onFailure: (reason) => this.failures.push(reason),
      send: (requests) =>
        new Promise<BatchReply>((resolve, reject) => {
          const answer = () => resolve({ nowUs: 1, results: requests.map(() => [passing]) });
          this.calls.push({ requests, answer, fail: reject });
        }),
    });
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a lane', () => {
  it('sends a lone decision at once, and what is asked for in one turn together', async () => {
    const server = new Server();
    const lane = server.lane(1000);
    void lane.decide(checks, false);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1]);
    for (let i = 0; i < 5; i++) void lane.decide(checks, false);
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([1, 5]);
    for (const call of server.calls) call.answer();
  });

  it('has two calls in flight at most; what waits goes with the next, 256 at a time', async () => {
    const server = new Server();
    const lane = server.lane(1000);
    const replies: Promise<StoreReply>[] = [];
    for (let i = 0; i < 700; i++) replies.push(lane.decide(checks, false));
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256]);
    server.calls[0]?.answer();
    await turn();
    expect(server.calls.map((call) => call.requests.length)).toEqual([256, 256, 188]);
    for (const call of server.calls) call.answer();
    expect((await Promise.all(replies)).every((reply) => reply.available && reply.allowed)).toBe(true);
  });

  it('a late call answers its own and all that wait, and nothing is sent until it comes back', async () => {
    const server = new Server();
    const lane = server.lane(20);
    const [first, second] = [lane.decide(checks, false), turn().then(() => lane.decide(checks, false))];
    await turn();
    const waiting = turn().then(() => lane.decide(checks, false));
    expect(await first).toEqual({ available: false, reason: 'deadline' });
    expect(await second).toMatchObject({ available: false });
    expect(await waiting).toMatchObject({ available: false });
    expect(await lane.decide(checks, false)).toEqual({ available: false, reason: 'suspended' });
    const sent = server.calls.length;
    expect(sent).toBeLessThanOrEqual(2);
    for (const call of server.calls) call.answer();
    await turn();
    const resumed = lane.decide(checks, false);
    await turn();
    expect(server.calls).toHaveLength(sent + 1);
    server.calls.at(-1)?.answer();
    expect(await resumed).toMatchObject({ available: true });
  });

  it('an answer that lies unread after a pause of our own is used, however late we look', async () => {
    const server = new Server();
    const lane = server.lane(20);
    const reply = lane.decide(checks, false);
    await turn();
    // Stands for the socket: what arrived during the pause is read in the turn after the timer.
    setTimeout(() => server.calls[0]?.answer(), 0);
    const until = performance.now() + 60;
    while (performance.now() < until);
    expect(await reply).toMatchObject({ available: true });
    expect(server.failures).toEqual([]);
  });

  it('goes on under a load that never lets the queue run empty, for many times the deadline', async () => {
    const lane = new Lane({
      deadlineMs: 50,
      isConnected: () => true,
      onFailure: () => undefined,
      send: async (requests) => {
        await new Promise((resolve) => setTimeout(resolve, 3));
        return { nowUs: 1, results: requests.map(() => [passing]) };
      },
    });
    const endMs = performance.now() + 300;
    let unavailable = 0;
    const caller = async () => {
      while (performance.now() < endMs) if (!(await lane.decide(checks, false)).available) unavailable++;
    };
    await Promise.all(Array.from({ length: 1500 }, caller));
    expect(unavailable).toBe(0);
  });

  it('without a connection, or after an error, says so', async () => {
    const server = new Server();
    const lane = server.lane(1000);
    const failing = lane.decide(checks, false);
    await turn();
    server.calls[0]?.fail(new Error('READONLY'));
    expect(await failing).toEqual({ available: false, reason: 'failed' });
    expect(server.failures).toEqual(['failed']);
    server.connected = false;
    expect(await lane.decide(checks, false)).toEqual({ available: false, reason: 'disconnected' });
  });

  it('answers what still waits when it is closed', async () => {
    const server = new Server();
    const lane = server.lane(1000);
    const replies = vi.fn();
    for (let i = 0; i < 600; i++) void lane.decide(checks, false).then(replies);
    await turn();
    lane.close();
    await turn();
    expect(replies).toHaveBeenCalledTimes(600 - 512);
    for (const call of server.calls) call.answer();
  });
});
