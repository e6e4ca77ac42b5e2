import { canonicalAddress, countableSubject, forwardedAddress, MAX_COST } from '@tollgate/contracts';
import * as z from 'zod';
import { operationOf, parseAccessLogLine, targetOf } from '../access-log.js';
import { type LogTime, readIsoTime, readJsonTime } from '../log-time.js';

/** A request of a log. */
export interface LoggedRequest {
  /** Unix µs. */
  readonly atUs: number;
  /** Undefined: the tenant of the import. */
  readonly tenant?: string | undefined;
  readonly operation: string;
  readonly subject: Readonly<Record<string, string>>;
  /** Undefined: the operation's cost. */
  readonly cost?: number | undefined;
}

export type LoggedLine = { ok: true; request: LoggedRequest } | { ok: false; problem: string };

/** Reads lines in their order; undefined for a line that describes the following ones. */
export type LineReader = (line: string) => LoggedLine | undefined;

const READERS = {
  apache: () => readApacheLine,
  nginx: () => readApacheLine,
  alb: () => readLoadBalancerLine,
  cloudfront: () => w3cReader('\t'),
  iis: () => w3cReader(' '),
  caddy: () => jsonReader(caddyRequest),
  traefik: () => eitherReader(jsonReader(traefikRequest), readApacheLine),
  envoy: () => eitherReader(jsonReader(envoyRequest), readEnvoyLine),
  json: () => jsonReader(plainRequest),
} satisfies Record<string, () => LineReader>;

export type LogFormat = keyof typeof READERS;
export const LOG_FORMATS = Object.keys(READERS) as LogFormat[];

/** A reader for one log. */
export function lineReader(format: LogFormat): LineReader {
  return READERS[format]();
}

const invalid = (problem: string): LoggedLine => ({ ok: false, problem });

interface Found {
  time: LogTime;
  /** Path or URL. */
  target: string | undefined;
  /** As written; undefined or `-`: unknown. */
  client: string | undefined;
}

function loggedRequest({ time, target, client }: Found): LoggedLine {
  if (!time.ok) return time;
  if (target === undefined) return invalid('no HTTP request');
  const ip = client === undefined || client === '-' ? undefined : canonicalAddress(client);
  if (ip === undefined && client !== undefined && client !== '-')
    return invalid('the client is no IP address');
  const subject = ip === undefined ? {} : { ip };
  return { ok: true, request: { atUs: time.atUs, operation: operationOf(target), subject } };
}

function readApacheLine(line: string): LoggedLine {
  const parsed = parseAccessLogLine(line);
  if (!parsed.ok) return parsed;
  const { atMs, ip, target } = parsed.entry;
  return { ok: true, request: { atUs: atMs * 1000, operation: operationOf(target), subject: { ip } } };
}

/** Application Load Balancer: type, time, name, client:port, …, "request", … */
function readLoadBalancerLine(line: string): LoggedLine {
  const fields = fieldsOf(line);
  const [, time, , peer] = fields;
  const [request] = quoted(fields);
  if (time === undefined || peer === undefined || request === undefined)
    return invalid('not in the format of a load balancer');
  // The port follows IPv6 addresses without brackets, too.
  const client = peer.text.slice(0, peer.text.lastIndexOf(':'));
  return loggedRequest({ time: readIsoTime(time.text), target: targetOf(request), client });
}

/**
 * Envoy's default format, and Istio's, which has one more text before the addresses. The client is the last entry of
 * X-Forwarded-For, which Envoy appends.
 */
function readEnvoyLine(line: string): LoggedLine {
  const fields = fieldsOf(line);
  const [time] = fields;
  const texts = quoted(fields);
  const [request] = texts;
  if (time?.kind !== 'bracketed' || request === undefined || texts.length < 6)
    return invalid("not in Envoy's default format");
  return loggedRequest({
    time: readIsoTime(time.text),
    target: targetOf(request),
    client: forwardedAddress(texts.at(-5), 1),
  });
}

/** Columns of the W3C format, which a line `#Fields:` names. Times are UTC. */
function w3cReader(separator: '\t' | ' '): LineReader {
  let columns: readonly string[] | undefined;
  return (line) => {
    if (line.startsWith('#')) {
      if (line.startsWith('#Fields:')) columns = line.slice('#Fields:'.length).trim().split(/\s+/);
      return undefined;
    }
    if (columns === undefined) return invalid('no line #Fields: before it');
    const values = line.split(separator);
    if (values.length !== columns.length) return invalid('other columns than in the line #Fields:');
    const cell = (column: string) => values[columns?.indexOf(column) ?? -1];
    const [date, time] = [cell('date'), cell('time')];
    if (date === undefined || time === undefined) return invalid('no columns date and time');
    return loggedRequest({
      time: readIsoTime(`${date}T${time}Z`),
      target: cell('cs-uri-stem'),
      client: cell('c-ip'),
    });
  };
}

function eitherReader(json: LineReader, other: LineReader): LineReader {
  return (line) => (line.startsWith('{') ? json(line) : other(line));
}

function jsonReader(read: (value: unknown) => LoggedLine): LineReader {
  return (line) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return invalid('not JSON');
    }
    return read(value);
  };
}

/** Loggers write null, and some an empty text, for a missing value. */
const optional = <T>(schema: z.ZodType<T>) =>
  z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional());

/** A number above 2^53 would be another one. */
const identifier = z.union(
  [z.string(), z.number().refine(Number.isSafeInteger, 'is not an exact number: log it as a text')],
  'is neither a text nor a number',
);
const time = z.union([z.string(), z.number()], 'is neither a text nor a number');

const requestFields = z.object({
  time,
  tenant: optional(identifier.transform(String).pipe(z.string().max(48))),
  operation: optional(z.string()),
  path: optional(z.string()),
  ip: optional(z.string()),
  subject: optional(z.record(z.string().max(32), z.union([identifier, z.null()]))),
  cost: optional(z.int().min(1).max(MAX_COST)),
});

function plainRequest(value: unknown): LoggedLine {
  const parsed = requestFields.safeParse(value);
  if (!parsed.success) return invalid(firstProblem(parsed.error));
  const { tenant, operation, path = '/', ip, subject, cost } = parsed.data;
  const line = loggedRequest({ time: readJsonTime(parsed.data.time), target: path, client: ip });
  if (!line.ok) return line;
  return {
    ok: true,
    request: {
      ...line.request,
      ...(operation !== undefined && { operation }),
      tenant,
      cost,
      subject: { ...line.request.subject, ...countableSubject(subject ?? {}) },
    },
  };
}

const caddyFields = z.object({
  ts: time,
  request: z.object({
    uri: z.string(),
    client_ip: optional(z.string()),
    remote_ip: optional(z.string()),
    /** Before Caddy 2.5, with a port. */
    remote_addr: optional(z.string()),
  }),
});

function caddyRequest(value: unknown): LoggedLine {
  const parsed = caddyFields.safeParse(value);
  if (!parsed.success) return invalid(firstProblem(parsed.error));
  const { ts, request } = parsed.data;
  const client = request.client_ip ?? request.remote_ip ?? request.remote_addr;
  return loggedRequest({ time: readJsonTime(ts), target: request.uri, client });
}

const traefikFields = z.object({
  StartUTC: optional(time),
  time: optional(time),
  RequestPath: z.string(),
  ClientHost: optional(z.string()),
  ClientAddr: optional(z.string()),
});

function traefikRequest(value: unknown): LoggedLine {
  const parsed = traefikFields.safeParse(value);
  if (!parsed.success) return invalid(firstProblem(parsed.error));
  const { StartUTC, time: loggedAt, RequestPath, ClientHost, ClientAddr } = parsed.data;
  const startedAt = StartUTC ?? loggedAt;
  if (startedAt === undefined) return invalid('StartUTC: is missing');
  return loggedRequest({
    time: readJsonTime(startedAt),
    target: RequestPath,
    client: ClientHost ?? ClientAddr,
  });
}

/** Names as in Istio's JSON format and Envoy's examples. */
const envoyFields = z.object({
  start_time: time,
  path: z.string(),
  x_forwarded_for: optional(z.string()),
  downstream_remote_address: optional(z.string()),
});

function envoyRequest(value: unknown): LoggedLine {
  const parsed = envoyFields.safeParse(value);
  if (!parsed.success) return invalid(firstProblem(parsed.error));
  const { start_time: startedAt, path, x_forwarded_for: forwarded } = parsed.data;
  return loggedRequest({
    time: readJsonTime(startedAt),
    target: path,
    client: forwardedAddress(forwarded, 1) ?? parsed.data.downstream_remote_address,
  });
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  return field === '' ? 'not a JSON object' : `${field}: ${issue?.message}`;
}

interface Field {
  kind: 'plain' | 'quoted' | 'bracketed';
  text: string;
}

const quoted = (fields: readonly Field[]) =>
  fields.filter(({ kind }) => kind === 'quoted').map((field) => field.text);

/** Fields between spaces; quotes (with escapes) and brackets enclose spaces. */
function fieldsOf(line: string): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < line.length; at++) {
    const first = line[at];
    if (first === ' ') continue;
    const [kind, last]: [Field['kind'], string] =
      first === '"' ? ['quoted', '"'] : first === '[' ? ['bracketed', ']'] : ['plain', ' '];
    const start = kind === 'plain' ? at : at + 1;
    let end = start;
    while (end < line.length && line[end] !== last) end += line[end] === '\\' ? 2 : 1;
    fields.push({ kind, text: line.slice(start, end) });
    at = end;
  }
  return fields;
}
