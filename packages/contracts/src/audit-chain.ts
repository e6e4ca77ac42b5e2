import { hash } from 'node:crypto';

/** The form of {@link auditHash} that new entries are written under; an entry keeps the version that it was written under. */
export const AUDIT_CHAIN_VERSION = 1;

/** Chain of platform-wide entries. Tenant chains are named by tenant key, which cannot contain a tilde. */
export const PLATFORM_CHAIN = '~platform';

/** Previous hash of the first entry of a chain. */
export const NO_PREVIOUS_HASH = '0'.repeat(64);

const DIGIT_0 = 48;
const DIGIT_9 = 57;

/** One entry of the audit trail, as it is hashed, exported and verified. */
export interface ChainedEntry {
  /** Key of the tenant, or {@link PLATFORM_CHAIN}. */
  chain: string;
  /** Place in its chain, from 1, without gaps. */
  sequence: number;
  version: number;
  /** Hash of the entry before, lower-case hex. */
  previousHash: string;
  hash: string;
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  at: string;
  actorKind: string;
  /** Null in entries from before it was kept. */
  actorId: string | null;
  actor: string;
  action: string;
  entity: string;
  entityId: string;
  tenantId: string | null;
  tenantKey: string | null;
  before: unknown;
  after: unknown;
  reason: string | null;
  requestId: string;
  changeId: string;
  address: string | null;
  userAgent: string | null;
}

/** SHA-256 (hex) of an entry's content, its sequence number and the hash of the previous entry. */
export function auditHash(entry: Omit<ChainedEntry, 'hash'>): string {
  const facts = [
    entry.version,
    entry.chain,
    entry.sequence,
    entry.previousHash,
    entry.id,
    entry.at,
    entry.actorKind,
    entry.actorId,
    entry.actor,
    entry.action,
    entry.entity,
    entry.entityId,
    entry.tenantId,
    entry.tenantKey,
    entry.before,
    entry.after,
    entry.reason,
    entry.requestId,
    entry.changeId,
    entry.address,
    entry.userAgent,
  ];
  return hash('sha256', canonicalJson(facts), 'hex');
}

/**
 * Returns a canonical text of a JSON value: no spaces, keys ordered by UTF-16 code units, undefined members omitted.
 * Stable across databases that store JSON in their own format.
 */
export function canonicalJson(value: unknown): string {
  // Twice as fast as joining the parts; matters when verifying a million entries.
  return hasOddKey(value) ? joined(value) : (JSON.stringify(inOrder(value)) ?? 'null');
}

/** Whether an object reorders or drops a key: integer-like keys come first, and `__proto__` is not a member. */
function hasOddKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasOddKey);
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || (key.charCodeAt(0) >= DIGIT_0 && key.charCodeAt(0) <= DIGIT_9)) return true;
    if (hasOddKey((value as Record<string, unknown>)[key])) return true;
  }
  return false;
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const ordered: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort())
    ordered[key] = inOrder((value as Record<string, unknown>)[key]);
  return ordered;
}

function joined(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(joined).join(',')}]`;
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${joined(member)}`;
  }
  return `{${text}}`;
}

/** Reason for which an entry breaks its chain. */
export type ChainProblem =
  /** A previous entry is missing or duplicated. */
  | 'gap'
  /** The previous hash does not match the previous entry. */
  | 'link'
  /** The content does not match the hash. */
  | 'content'
  /** Unknown version. */
  | 'version'
  /** The chain ends before the entry that its signed head names, or begins after its first. */
  | 'truncated'
  /** The entry does not match the signed head. */
  | 'head'
  /** The head was not signed with this key. */
  | 'signature';

/** Position in a chain: the last verified entry. */
export interface ChainPosition {
  sequence: number;
  hash: string;
}

export const CHAIN_START: ChainPosition = { sequence: 0, hash: NO_PREVIOUS_HASH };

/** Whether `entry` may follow `position` in its chain. Undefined: it does. */
export function findChainProblem(position: ChainPosition, entry: ChainedEntry): ChainProblem | undefined {
  if (entry.sequence !== position.sequence + 1) return 'gap';
  if (entry.previousHash !== position.hash) return 'link';
  if (entry.version !== AUDIT_CHAIN_VERSION) return 'version';
  return auditHash(entry) === entry.hash ? undefined : 'content';
}
