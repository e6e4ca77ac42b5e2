import type { IncomingHttpHeaders } from 'node:http';
import {
  apiKeySchema,
  type FieldError,
  limitRequestSchema,
  operationNameSchema,
  TollgateError,
  tenantKeySchema,
} from '@tollgate/contracts';
import * as z from 'zod';

/**
 * What a proxy is to be limited by, as whoever set it up wrote it into the address that the proxy asks: clients cannot
 * reach that, while most proxies hand on whatever headers clients send.
 */
export interface ForwardAuthParameters {
  readonly api: string;
  readonly operation: string;
  /** Left out: whose API key the client sends. */
  readonly tenant?: string | undefined;
  readonly cost?: number | undefined;
  /** Values of dimensions; those of `from` are read from that header of the request. */
  readonly subject: Readonly<Record<string, string>>;
  readonly from: Readonly<Record<string, string>>;
}

const schema = z.strictObject({
  api: apiKeySchema,
  operation: operationNameSchema,
  tenant: tenantKeySchema.optional(),
  cost: z
    .string()
    .regex(/^[1-9][0-9]{0,9}$/, 'cost must be a whole number of 1 or more')
    .transform(Number)
    .pipe(limitRequestSchema.shape.cost.unwrap())
    .optional(),
});

const DIMENSION = /^(subject|from)\.([a-z][a-z0-9_]{0,31})$/;

/** Addresses are few and asked many times. */
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, ForwardAuthParameters>();

/**
 * Reads `api=…&operation=…`, and as wanted `tenant=…`, `cost=…`, `subject.user=…`, `from.device=X-Device-Id`.
 * @throws TollgateError `body-invalid`, naming each parameter that is missing, unknown or wrong
 */
export function readParameters(text: string): ForwardAuthParameters {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const read = parse(text);
  // Values such as users may be part of the address: what is remembered is not to grow with them.
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(text, read);
  return read;
}

function parse(text: string): ForwardAuthParameters {
  const plain: Record<string, string> = {};
  const subject: Record<string, string> = {};
  const from: Record<string, string> = {};
  const errors: FieldError[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    const [, where, dimension] = DIMENSION.exec(name) ?? [];
    if (Object.hasOwn(plain, name)) errors.push({ field: name, message: 'This parameter is there twice' });
    // A user that nobody is logged in as comes as an empty text.
    else if (dimension !== undefined && value === '') continue;
    else if (dimension !== undefined) (where === 'from' ? from : subject)[dimension] = value;
    else plain[name] = value;
  }
  const parsed = schema.safeParse(plain);
  for (const issue of parsed.error?.issues ?? []) {
    const fields = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')];
    for (const field of fields) errors.push({ field: field.slice(0, 100), message: issue.message });
  }
  if (!parsed.success || errors.length > 0) {
    const detail = 'The address that the proxy asks has parameters that are missing, unknown or wrong';
    throw new TollgateError('body-invalid', { detail, errors });
  }
  return { ...parsed.data, subject, from };
}

/** What a request is counted by: what the parameters say, and the client's address. */
export function subjectOf(
  { subject, from }: ForwardAuthParameters,
  headers: IncomingHttpHeaders,
  ip: string,
): Record<string, string> {
  const read: Record<string, string> = { ip, ...subject };
  for (const [dimension, header] of Object.entries(from)) {
    const value = headers[header.toLowerCase()];
    if (typeof value === 'string' && value !== '') read[dimension] = value.slice(0, 1024);
  }
  return read;
}
