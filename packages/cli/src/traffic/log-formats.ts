import { MAX_COST } from '@tollgate/contracts';
import * as z from 'zod';
import { isClientAddress, parseAccessLogLine } from '../access-log.js';

export const LOG_FORMATS = ['apache', 'nginx', 'alb', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

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

/** Precision of the times in a log, µs. */
export const RESOLUTION_US: Record<LogFormat, number> = {
  apache: 1_000_000,
  nginx: 1_000_000,
  alb: 1,
  json: 1,
};

/** Undefined for a line of another format. */
export function parseLogLine(line: string, format: LogFormat): LoggedRequest | undefined {
  switch (format) {
    case 'apache':
    case 'nginx': {
      const parsed = parseAccessLogLine(line);
      if (!parsed.ok) return undefined;
      const { atMs, ip, target } = parsed.entry;
      return { atUs: atMs * 1000, operation: operationOf(target), subject: { ip } };
    }
    case 'alb':
      return parseLoadBalancerLine(line);
    case 'json':
      return parseJsonLine(line);
  }
}

/** First segment of the path; `home` without one, `other` if it cannot be an operation's name. */
export function operationOf(target: string): string {
  const path = target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const [, segment = ''] = /^\/*([^/?#]*)/.exec(path) ?? [];
  if (segment === '') return 'home';
  return /^[A-Za-z][A-Za-z0-9._-]{0,63}$/.test(segment) ? segment : 'other';
}

/** Application Load Balancer: type, time, name, client:port, …, "request", … */
const LOAD_BALANCER = /^\S+ (?<time>\S+Z) \S+ (?<ip>\S+):\d+ [^"]*"[A-Z-]+ (?<target>\S+) [^"]*"/;

function parseLoadBalancerLine(line: string): LoggedRequest | undefined {
  const { time = '', ip = '', target = '' } = LOAD_BALANCER.exec(line)?.groups ?? {};
  const atUs = microsecondsOf(time);
  if (atUs === undefined || !isClientAddress(ip)) return undefined;
  return { atUs, operation: operationOf(target), subject: { ip } };
}

/** `Date` has milliseconds only: the digits after them are added. */
function microsecondsOf(time: string): number | undefined {
  const atMs = Date.parse(time);
  if (!(atMs >= 0)) return undefined;
  const [, micros = ''] = /\.\d{3}(\d{1,3})/.exec(time) ?? [];
  return Math.floor(atMs) * 1000 + Number(micros.padEnd(3, '0'));
}

const jsonLine = z.object({
  /** ISO 8601, or Unix ms. */
  time: z.union([z.string(), z.number().min(0).max(8.64e15)]),
  tenant: z.string().min(1).max(48).optional(),
  operation: z.string().min(1).max(64).optional(),
  path: z.string().optional(),
  ip: z.string().optional(),
  subject: z.record(z.string().max(32), z.string().min(1).max(1024)).optional(),
  cost: z.int().min(1).max(MAX_COST).optional(),
});

function parseJsonLine(line: string): LoggedRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = jsonLine.safeParse(value);
  if (!parsed.success) return undefined;
  const { time, tenant, operation, path = '/', ip, subject, cost } = parsed.data;
  const atUs = typeof time === 'number' ? Math.floor(time * 1000) : microsecondsOf(time);
  if (atUs === undefined || !Number.isSafeInteger(atUs)) return undefined;
  const sent = ip === undefined ? { ...subject } : { ip, ...subject };
  return { atUs, tenant, operation: operation ?? operationOf(path), subject: sent, cost };
}
