import { isUtf8 } from 'node:buffer';
import { type IncomingMessage } from 'node:http';
import {
  type ByKey,
  type Called,
  type LimitRequest,
  limitBatchSchema,
  parseBody,
  TollgateError,
} from '@tollgate/contracts';
import type * as z from 'zod';
import { yieldToEventLoop } from './admission.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Rejects duplicate fields: `JSON.parse` keeps the last value and other parsers the first, so a gateway could have
 * validated a different one.
 * @param text valid JSON @param value its value @throws TollgateError `body-duplicate-field`
 */
export function rejectDuplicateFields(text: string, value: unknown): void {
  if (isWrittenAs(text, value) || !mayRepeatField(text) || fieldsWritten(text) === fieldsOf(value)) return;
  const field = nameOfDuplicate(text);
  throw new TollgateError('body-duplicate-field', {
    errors: [{ field, message: 'Duplicate field' }],
  });
}

/** Most clients write JSON without spaces: its value has the same text, unless a field is lost. */
function isWrittenAs(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Nested deeper than the call stack.
    return false;
  }
}

/** Fields of an object up to which each is compared with all before it. */
const MAX_COMPARED = 32;

/**
 * False for the usual request: its objects have few fields with different hashes. True: compare the number of fields in
 * text and value, which takes longer.
 */
function mayRepeatField(text: string): boolean {
  /** Hashes of the names in the objects that are open, and where those of each object begin. */
  const names: number[] = [];
  const starts: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === OPENING_BRACE) starts.push(names.length);
    else if (character === CLOSING_BRACE) names.length = starts.pop() ?? 0;
    else if (character === QUOTE) {
      const end = endOfString(text, at);
      if (isBeforeColon(text, end)) {
        const name = hashOf(text, at + 1, end - 1);
        const start = starts.at(-1) ?? 0;
        if (name === undefined || names.length - start >= MAX_COMPARED || names.includes(name, start))
          return true;
        names.push(name);
      }
      at = end - 1;
    }
  }
  return false;
}

/** Undefined for an escaped name. */
function hashOf(text: string, start: number, end: number): number | undefined {
  let hash = end - start;
  for (let at = start; at < end; at++) {
    const character = text.charCodeAt(at);
    if (character === BACKSLASH) return undefined;
    hash = Math.imul(hash ^ character, 0x01000193);
  }
  return hash;
}

function fieldsWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = endOfString(text, at);
    if (isBeforeColon(text, at)) count++;
  }
  return count;
}

/** @param start position of the opening quote @returns position after the closing quote */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (text.charCodeAt(quote - 1) !== BACKSLASH || !isEscaped(text, quote, start)) return quote + 1;
    at = quote + 1;
  }
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let at = quote - 1;
  while (at > start && text.charCodeAt(at) === BACKSLASH) at--;
  return (quote - 1 - at) % 2 === 1;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  // In valid JSON, only whitespace below 0x21 can follow here.
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

/** Iterative, because JSON may nest deeper than the call stack. */
function fieldsOf(value: unknown): number {
  const left: unknown[] = [value];
  let count = 0;
  for (let inner = left.pop(); inner !== undefined; inner = left.pop()) {
    if (typeof inner !== 'object' || inner === null) continue;
    const isList = Array.isArray(inner);
    for (const key in inner) {
      if (!isList) count++;
      const item: unknown = (inner as Record<string, unknown>)[key];
      if (typeof item === 'object') left.push(item);
    }
  }
  return count;
}

/** Slow: use it for text that has a duplicate. */
function nameOfDuplicate(text: string): string {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (text[at] === '{') open.push(new Set());
    else if (text[at] === '}') open.pop();
    else if (character === QUOTE) {
      const end = endOfString(text, at);
      if (isBeforeColon(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        const names = open.at(-1);
        if (names?.has(name) === true) return name.slice(0, 100);
        names?.add(name);
      }
      at = end - 1;
    }
  }
  return '';
}

export const MAX_BODY_BYTES = 64 * 1024;

/** The largest body of a batch: a thousand requests. */
export const MAX_BATCH_BYTES = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

export async function readJsonBody<T>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
  maxBytes = MAX_BODY_BYTES,
): Promise<T> {
  return parseBody(schema, await readJson(request, maxBytes));
}

export async function readJson(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
    throw new TollgateError('content-type-unsupported');
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    const detail = 'The body is compressed. Send it without Content-Encoding';
    throw new TollgateError('content-type-unsupported', { detail });
  }
  return parseJson(await readBytes(request, maxBytes));
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new TollgateError('body-not-utf8');
  const text = bytes.toString('utf8');
  try {
    // Zod silently drops `__proto__` in records: reject it while parsing if it can occur.
    const value: unknown = maySpellProto(text) ? JSON.parse(text, rejectProto) : JSON.parse(text);
    rejectDuplicateFields(text, value);
    return value;
  } catch (error) {
    throw error instanceof TollgateError ? error : new TollgateError('body-not-json');
  }
}

/** The name may be escaped. */
function maySpellProto(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u00');
}

function rejectProto(key: string, value: unknown): unknown {
  if (key !== '__proto__') return value;
  throw new TollgateError('body-invalid', { errors: [{ field: key, message: 'Unknown field' }] });
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  await yieldToEventLoop();
  // A body that arrived with its headers is complete now: reading it synchronously avoids stream events.
  if (!request.complete) return await gatherBytes(request, maxBytes);
  const bytes = (request.read() as Buffer | null) ?? NOTHING;
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

function gatherBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.pause();
        reject(tooLarge(maxBytes));
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => reject(new TollgateError('body-not-json', { detail: 'The body ended early' })));
  });
}

// Created on demand: capturing a stack trace costs more than reading a body.
function tooLarge(maxBytes: number): TollgateError {
  return new TollgateError('body-too-large', { detail: `The request body exceeds ${maxBytes} bytes` });
}

/** Stands for the tenant while a body with a key is validated. */
const PLACEHOLDER_TENANT = 'tenant';

export async function readCall<T extends { tenant: string }>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
): Promise<Called<T>> {
  const { key, body } = takeKey(await readJson(request), '');
  return withKey(parseBody(schema, body), key);
}

export async function readBatch(request: IncomingMessage): Promise<Called<LimitRequest>[]> {
  const body = await readJson(request, MAX_BATCH_BYTES);
  const sent: unknown = (body as { requests?: unknown } | null)?.requests;
  if (!Array.isArray(sent) || !sent.some(hasKey)) return parseBody(limitBatchSchema, body).requests;
  const taken = sent.map((one, i) => takeKey(one, `requests.${i}.`));
  const { requests } = parseBody(limitBatchSchema, {
    ...(body as object),
    requests: taken.map((one) => one.body),
  });
  return requests.map((one, i) => withKey(one, taken[i]?.key));
}

function hasKey(body: unknown): body is { key: unknown } {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'key');
}

function takeKey(body: unknown, path: string): { key?: string; body: unknown } {
  if (!hasKey(body)) return { body };
  const { key, ...rest } = body;
  if (typeof key === 'string' && !('tenant' in rest))
    return { key, body: { ...rest, tenant: PLACEHOLDER_TENANT } };
  const message = typeof key === 'string' ? 'send tenant or key, not both' : 'key must be a text';
  throw new TollgateError('body-invalid', { errors: [{ field: `${path}key`, message }] });
}

function withKey<T extends { tenant: string }>(call: T, key: string | undefined): Called<T> {
  if (key === undefined) return call;
  const { tenant: _, ...rest } = call;
  return { ...rest, key } as ByKey<T>;
}
