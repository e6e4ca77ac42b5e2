import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type FieldError, TollgateError } from '@tollgate/contracts';
import type * as z from 'zod';
import { refuseDuplicateFields } from './duplicate-fields.js';

/** The largest body that is read. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The largest body of a batch: a thousand requests. */
export const MAX_BATCH_BYTES = 1024 * 1024;

/** `__proto__`, or an escape that may stand for one of its characters. */
const PROTO_SPELLED = /__proto__|\\u00[5-7]/i;

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/**
 * Reads a JSON body and checks it.
 * @throws TollgateError `content-type-unsupported`, `body-too-large`, `body-not-utf8`, `body-not-json`,
 * `body-duplicate-field`, `body-invalid` with what is wrong, by field
 */
export async function readJsonBody<T>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
  maxBytes = MAX_BODY_BYTES,
): Promise<T> {
  return parseInput(schema, await readJson(request, maxBytes));
}

/** Reads a JSON body as it is. @throws TollgateError as `readJsonBody`, for what is no JSON */
export async function readJson(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
    throw new TollgateError('content-type-unsupported');
  return parseJson(await readBytes(request, maxBytes));
}

/** @throws TollgateError `body-invalid` with what is wrong, by field */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new TollgateError('body-invalid', { errors: parsed.error.issues.flatMap(fieldErrors).slice(0, 20) });
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') return [{ field: path.join('.'), message: issue.message }];
  return issue.keys.map((key) => ({
    field: [...path, key.slice(0, 100)].join('.'),
    message: 'There is no such field',
  }));
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new TollgateError('body-not-utf8');
  const text = bytes.toString('utf8');
  try {
    // The schema drops this name without a word wherever keys are free: look for it here, where it may be spelled at all.
    const value: unknown = PROTO_SPELLED.test(text) ? JSON.parse(text, refuseProto) : JSON.parse(text);
    refuseDuplicateFields(text, value);
    return value;
  } catch (error) {
    throw error instanceof TollgateError ? error : new TollgateError('body-not-json');
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key !== '__proto__') return value;
  throw new TollgateError('body-invalid', { errors: [{ field: key, message: 'There is no such field' }] });
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  // Made where it is needed: to take note of the stack costs more than to read a body.
  const tooLarge = () =>
    new TollgateError('body-too-large', { detail: `A body is ${maxBytes} bytes at most` });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.pause();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', () => reject(new TollgateError('body-not-json', { detail: 'The body ended early' })));
  });
}
