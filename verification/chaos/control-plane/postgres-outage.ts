import { until } from '../../until.ts';
import type { RunningPlane } from './running-plane.ts';

const READ = '{ tiers(first: 2) { nodes { key } } }';

/** Results of an outage of Postgres, as clients saw them. */
export interface Outage {
  refusedMs: number[];
  /** Status and code of failures other than 503 `UNAVAILABLE`. */
  unclean: Set<string>;
  backMs: number;
  /** Mutations that failed but had taken effect. */
  halfDone: number;
}

/** Stops Postgres for a while, reads and writes meanwhile, and restores it. */
export async function simulateOutage(
  plane: RunningPlane,
  name: string,
  { begin, end, forMs }: { begin: () => Promise<void>; end: () => Promise<void>; forMs: number },
): Promise<Outage> {
  const outage: Outage = { refusedMs: [], unclean: new Set(), backMs: 0, halfDone: 0 };
  const keys: string[] = [];
  await begin();
  const untilMs = performance.now() + forMs;
  do {
    const key = `${name}-${keys.length}`;
    keys.push(key);
    for (const query of [READ, creation(key)]) {
      const { tookMs, code, status } = await ask(plane, query);
      outage.refusedMs.push(tookMs);
      if (code !== 'UNAVAILABLE' || status !== 503) outage.unclean.add(`${status} ${code}`);
    }
  } while (performance.now() < untilMs);
  await end();
  const isBack = async () => (await read(plane)).code === undefined;
  outage.backMs = await until('it is back', isBack);
  // A failed mutation must not have taken effect: it succeeds now.
  for (const key of keys) if ((await create(plane, key)).code !== undefined) outage.halfDone += 1;
  return outage;
}

/** Error code of a request; undefined on success. */
export interface Asked {
  tookMs: number;
  status: number;
  code: string | undefined;
}

export const read = (plane: RunningPlane): Promise<Asked> => ask(plane, READ);
export const create = (plane: RunningPlane, key: string): Promise<Asked> => ask(plane, creation(key));

function creation(key: string): string {
  return `mutation { result: apiCreate(input: { key: "${key}", name: "A" }) { userErrors { code } } }`;
}

async function ask(plane: RunningPlane, query: string): Promise<Asked> {
  const startMs = performance.now();
  const response = await fetch(`${plane.urls[0]}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...plane.admin },
    body: JSON.stringify({ query }),
  });
  const body = (await response.json()) as {
    data?: { result?: { userErrors: { code: string }[] } };
    errors?: { extensions: { code: string } }[];
  };
  const code = body.errors?.[0]?.extensions.code ?? body.data?.result?.userErrors[0]?.code;
  return { tookMs: performance.now() - startMs, status: response.status, code };
}
