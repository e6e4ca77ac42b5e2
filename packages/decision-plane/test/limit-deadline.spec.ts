import { beforeEach, describe, expect, it } from 'vitest';
import { HandServer, turn } from '../../limiter/test/hand-server.js';
import { useHandTime } from '../../limiter/test/hand-time.js';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { engineOn } from './engine-on-lanes.js';
import { create } from './outage-node.js';

const USUAL_MS = 25;
const PATIENT_MS = 1000;
const usual = fixedWindowPolicy({ name: 'usual', operations: ['createURL'] });
const patient = fixedWindowPolicy({ name: 'patient', operations: ['getURL'], deadlineMs: PATIENT_MS });
const both = [usual, patient].map((limit) => ({
  ...limit,
  name: `${limit.name}-together`,
  operations: ['deleteURL'],
}));
const shadow = [
  fixedWindowPolicy({ name: 'enforced', operations: ['listURLs'] }),
  fixedWindowPolicy({
    name: 'shadow',
    operations: ['listURLs'],
    deadlineMs: PATIENT_MS,
    enforcement: { mode: 'shadow' },
  }),
];

describe("a limit's deadlineMs", () => {
  const time = useHandTime();
  let server: HandServer;
  let isDegraded: (operation: string) => Promise<boolean>;

  beforeEach(() => {
    server = new HandServer();
    const engine = engineOn(server.lanes(USUAL_MS), [usual, patient, ...both, ...shadow], time);
    isDegraded = async (operation) => (await engine.limit({ ...create, operation })).degraded;
  });

  it('degrades requests after the default deadline, and waits for the reply to those of the patient limit', async () => {
    const waiting = [isDegraded('getURL'), isDegraded('deleteURL')];
    const late = [isDegraded('createURL'), isDegraded('listURLs')];
    await turn();
    time.advanceMs(USUAL_MS);
    expect(await Promise.all(late)).toEqual([true, true]);
    // The default lane is suspended now.
    waiting.push(isDegraded('getURL'));
    await turn();
    time.advanceMs(PATIENT_MS - USUAL_MS - 1);
    for (const call of server.calls) call.answer();
    expect(await Promise.all(waiting)).toEqual([false, false, false]);
  });

  it('degrades requests of the patient limit after its own deadline', async () => {
    const late = [isDegraded('getURL'), isDegraded('deleteURL')];
    await turn();
    time.advanceMs(PATIENT_MS);
    expect(await Promise.all(late)).toEqual([true, true]);
  });
});
