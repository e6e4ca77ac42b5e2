import { MISSING_VALUE } from '@tollgate/limiter/rules';

/** Whose counter it is: a tenant, all tenants of an API, or Tollgate's own callers. */
export type KeyOwner =
  | { readonly tenant: string; readonly parent?: string }
  | { readonly allTenantsOf: string }
  | { readonly own: string };

/** A value of a dimension. A hashed value cannot be recovered. */
export type KeyValue =
  | { readonly plain: string }
  | { readonly address: string }
  | { readonly hash: string }
  | 'missing';

/** Name of a counter in a packed hash. */
export interface PackedField {
  /** Shared by requests beyond the tenant's key budget. */
  readonly isOverflow: boolean;
  /** One per dimension, in the limit's order; one hash of all of them if they are long. */
  readonly values: readonly KeyValue[];
}

/** Name of a counter in the hash of a subject. */
export interface SubjectField {
  readonly stateVersion: string;
  readonly limit: string;
}

/** A key in the counter Redis. */
export type KeyName =
  | {
      readonly kind: 'counter';
      readonly owner: KeyOwner;
      readonly stateVersion: string;
      readonly api: string;
      readonly limit: string;
      /** Of a limit's candidate instead of the limit. */
      readonly isCandidate: boolean;
      /** Of the amount of a label instead of the limit; the label is the last value, or missing for those without an amount. */
      readonly isAmount: boolean;
      /** Of a child's floor of a shared limit, whose name is the value, or of the common part, without a value. */
      readonly isShare: boolean;
      /** Window of a limit that a request overrides, ms. */
      readonly overrideWindowMs?: number;
      /** Shared by requests beyond the tenant's key budget. */
      readonly isOverflow: boolean;
      /** One per dimension, in the limit's order. */
      readonly values: readonly KeyValue[];
    }
  | {
      /** A hash of counters of a packed limit. */
      readonly kind: 'packed';
      readonly owner: KeyOwner;
      /** Hash of API and limit. */
      readonly limitHash: string;
      /** Number of the hash. */
      readonly place: number;
      /** Of one counter. */
      readonly field?: PackedField;
    }
  | {
      /** A hash of the counters of one subject, of limits of one API with the same dimensions. */
      readonly kind: 'subject';
      readonly owner: KeyOwner;
      /** Hash of API and dimensions. */
      readonly limitsHash: string;
      readonly isOverflow: boolean;
      readonly values: readonly KeyValue[];
      /** Of one counter. */
      readonly field?: SubjectField;
    }
  | {
      readonly kind: 'receipt';
      readonly owner: KeyOwner;
      readonly request: KeyValue;
      /** Of one slot's part of a request in a cluster. */
      readonly partOf?: KeyOwner;
    }
  | { readonly kind: 'pool'; readonly api: string; readonly pool: string }
  | { readonly kind: 'reservations' }
  | { readonly kind: 'parts'; readonly owner: KeyOwner };

const POOL = /^\{pool:([^:{}]+):([^:{}]+)\}$/;
const RESERVATIONS = /^(?:tg|\{tg:\d+\}):reservations$/;
/** `/child/` follows the tag of its parent. */
const TAGGED = /^\{([^{}]+)\}(?:\/([a-z0-9-]+)\/)?(.*)$/s;
const COUNTER = /^:([a-z]\d+(?:a\d+)?):([^:]+):([^:{}=#~!^?+@]+)(?:!(\d*)|(\+)|(@))?(\^|[=~#?].*)?$/s;
const PACKED = /^p([\w-]{10}):(\d+)(?:\|(.+))?$/s;
const SUBJECT = /^s([\w-]{12})(\^|[=~#?][^|]*)?(?:\|(.+))?$/s;
const SUBJECT_FIELD = /^([a-z]\d+):([^:|]+)$/;
const VALUES = /[=~#][^=~#?]*|\?/gs;

/** Undefined: not a key of the counter Redis. */
export function parseKey(key: string): KeyName | undefined {
  const [, api, pool] = POOL.exec(key) ?? [];
  if (api !== undefined && pool !== undefined) return { kind: 'pool', api, pool };
  if (RESERVATIONS.test(key)) return { kind: 'reservations' };
  const [, tag, child, rest] = TAGGED.exec(key) ?? [];
  if (tag === undefined || rest === undefined) return undefined;
  const owner = ownerOf(tag, child);
  if (rest === ':parts') return { kind: 'parts', owner };
  return receiptOf(owner, rest) ?? packedOf(owner, rest) ?? subjectOf(owner, rest) ?? counterOf(owner, rest);
}

function ownerOf(tag: string, child?: string): KeyOwner {
  if (child !== undefined) return { tenant: child, parent: tag };
  if (tag.startsWith('~')) return { allTenantsOf: tag.slice(1) };
  return tag.startsWith('!') ? { own: tag.slice(1) } : { tenant: tag };
}

function receiptOf(owner: KeyOwner, rest: string): KeyName | undefined {
  const [, tag, child, name] = TAGGED.exec(rest) ?? [];
  if (tag !== undefined && name !== undefined) {
    const whole = receiptOf(ownerOf(tag, child), name);
    return whole?.kind === 'receipt' ? { ...whole, partOf: whole.owner, owner } : undefined;
  }
  if (!rest.startsWith(':r1')) return undefined;
  const [request] = valuesOf(rest.slice(':r1'.length));
  return request === undefined ? undefined : { kind: 'receipt', owner, request };
}

function packedOf(owner: KeyOwner, rest: string): KeyName | undefined {
  const [, limitHash, place, field] = PACKED.exec(rest) ?? [];
  if (limitHash === undefined) return undefined;
  return {
    kind: 'packed',
    owner,
    limitHash,
    place: Number(place),
    ...(field === undefined ? {} : { field: packedField(field) }),
  };
}

/** Decodes a field of a packed hash. */
export function packedField(field: string): PackedField {
  const isHashed = /^[\w-]/.test(field);
  return { isOverflow: field === '^', values: isHashed ? [{ hash: field }] : valuesOf(field) };
}

function subjectOf(owner: KeyOwner, rest: string): KeyName | undefined {
  const [, limitsHash, values = '', text] = SUBJECT.exec(rest) ?? [];
  if (limitsHash === undefined) return undefined;
  const field = text === undefined ? undefined : subjectField(text);
  if (text !== undefined && field === undefined) return undefined;
  return {
    kind: 'subject',
    owner,
    limitsHash,
    isOverflow: values === '^',
    values: valuesOf(values),
    ...(field === undefined ? {} : { field }),
  };
}

/** Undefined for a field that no limit has. */
export function subjectField(field: string): SubjectField | undefined {
  const [, stateVersion, limit] = SUBJECT_FIELD.exec(field) ?? [];
  return stateVersion === undefined || limit === undefined ? undefined : { stateVersion, limit };
}

function counterOf(owner: KeyOwner, rest: string): KeyName | undefined {
  const [, stateVersion, api, limit, override, amount, share, values = ''] = COUNTER.exec(rest) ?? [];
  if (stateVersion === undefined || api === undefined || limit === undefined) return undefined;
  return {
    kind: 'counter',
    owner,
    stateVersion,
    api,
    limit,
    isCandidate: override === '',
    isAmount: amount !== undefined,
    isShare: share !== undefined,
    ...(override === undefined || override === '' ? {} : { overrideWindowMs: Number(override) }),
    isOverflow: values === '^',
    values: valuesOf(values),
  };
}

function valuesOf(text: string): KeyValue[] {
  return (text.match(VALUES) ?? []).map((value): KeyValue => {
    const rest = value.slice(1);
    if (value === MISSING_VALUE) return 'missing';
    if (value.startsWith('=')) return { plain: rest };
    return value.startsWith('#') ? { hash: rest } : { address: rest };
  });
}
