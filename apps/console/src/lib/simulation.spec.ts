import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setSessionUser } from './session.js';
import { simulationQuery } from './simulation.js';

const ID = 'sim_1';

const stateOf = (state: string, replayed: number) => ({ id: ID, state, replayed, decisions: 9 });

/** Answers the stream with events, or status 503 without any, and other requests with `polled`. */
function serve(events: object[] | null, polled: object) {
  const paths: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    paths.push(path);
    if (path !== '/graphql/stream') return Response.json({ data: { simulation: polled } });
    if (events === null) return new Response(null, { status: 503 });
    const data = events.map((simulationProgress) =>
      JSON.stringify({ data: { simulationProgress }, extensions: { subscription: 0 } }),
    );
    const ended = JSON.stringify({ extensions: { subscription: 0, ended: true } });
    const text = [...data, ended].map((one) => `event: next\ndata: ${one}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  });
  return paths;
}

/** States that an observer sees until the simulation is done. */
async function follow(): Promise<string[]> {
  const states: string[] = [];
  const observer = new QueryObserver(new QueryClient(), simulationQuery(ID));
  await new Promise<void>((resolve) => {
    observer.subscribe(({ data, isFetching }) => {
      if (data && states.at(-1) !== `${data.state} ${data.replayed}`)
        states.push(`${data.state} ${data.replayed}`);
      if (data?.state === 'DONE' && !isFetching) resolve();
    });
  });
  observer.destroy();
  return states;
}

beforeEach(() => setSessionUser({ id: 'usr_1', email: null }));
afterEach(() => {
  setSessionUser(undefined);
  vi.unstubAllGlobals();
});

it('follows the stream of a simulation without polling', async () => {
  const paths = serve([stateOf('WAITING', 0), stateOf('RUNNING', 4), stateOf('DONE', 9)], {});
  expect((await follow()).at(-1)).toBe('DONE 9');
  expect(paths).toEqual(['/graphql/stream']);
});

it('reads the state when the stream fails', async () => {
  const paths = serve(null, stateOf('DONE', 9));
  expect(await follow()).toEqual(['DONE 9']);
  expect(paths).toEqual(['/graphql/stream', '/graphql']);
});

it('reads the state when the stream ends before the simulation', async () => {
  const paths = serve([stateOf('RUNNING', 4)], stateOf('DONE', 9));
  expect((await follow()).at(-1)).toBe('DONE 9');
  expect(paths).toEqual(['/graphql/stream', '/graphql']);
});
