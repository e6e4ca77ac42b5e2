import type { IncomingMessage } from 'node:http';
import {
  type ByKey,
  type Called,
  type LimitRequest,
  limitBatchSchema,
  TollgateError,
} from '@tollgate/contracts';
import type * as z from 'zod';
import { MAX_BATCH_BYTES, parseInput, readJson } from './read-body.js';

/** Stands for the tenant while the rest of a body is checked that sends a key. */
const SOME_TENANT = 'tenant';

/** Reads a body that is about one tenant; what a key in it is worth is not checked here. @throws TollgateError as `readJsonBody` */
export async function readCall<T extends { tenant: string }>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
): Promise<Called<T>> {
  const { key, body } = takeKey(await readJson(request), '');
  return withKey(parseInput(schema, body), key);
}

/** Reads the body of a batch, whose requests may be of different tenants. @throws TollgateError as `readJsonBody` */
export async function readBatch(request: IncomingMessage): Promise<Called<LimitRequest>[]> {
  const body = await readJson(request, MAX_BATCH_BYTES);
  const sent: unknown = (body as { requests?: unknown } | null)?.requests;
  if (!Array.isArray(sent) || !sent.some(hasKey)) return parseInput(limitBatchSchema, body).requests;
  const taken = sent.map((one, i) => takeKey(one, `requests.${i}.`));
  const { requests } = parseInput(limitBatchSchema, {
    ...(body as object),
    requests: taken.map((one) => one.body),
  });
  return requests.map((one, i) => withKey(one, taken[i]?.key));
}

function hasKey(body: unknown): body is { key: unknown } {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'key');
}

/** @param path of the body in what was sent */
function takeKey(body: unknown, path: string): { key?: string; body: unknown } {
  if (!hasKey(body)) return { body };
  const { key, ...rest } = body;
  if (typeof key === 'string' && !('tenant' in rest)) return { key, body: { ...rest, tenant: SOME_TENANT } };
  const message = typeof key === 'string' ? 'send tenant or key, not both' : 'key must be a text';
  throw new TollgateError('body-invalid', { errors: [{ field: `${path}key`, message }] });
}

function withKey<T extends { tenant: string }>(call: T, key: string | undefined): Called<T> {
  if (key === undefined) return call;
  const { tenant: _, ...rest } = call;
  return { ...rest, key } as ByKey<T>;
}
