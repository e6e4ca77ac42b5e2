import { readFileSync } from 'node:fs';
import { type ConfigDocument, configDocumentSchema, MAX_CONFIG_BYTES } from '@tollgate/contracts';
import { formatCount } from '@tollgate/contracts/limit-title';
import { explainReadings, readTypedNumber } from '@tollgate/contracts/typed-number';
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  stringify,
  visit,
} from 'yaml';
import type * as z from 'zod';
import { CommandError } from './connection.js';

/** Counted after expansion, which can be exponential. */
const MAX_ALIASES = 50;

export interface ConfigProblem {
  line: number;
  column: number;
  message: string;
}

export interface ConfigText {
  document: ConfigDocument;
  /** Position of a path such as `["tiers", "pro", "limits", "0", "limit"]`, or of its nearest existing part. */
  positionOf(path: readonly string[]): Pick<ConfigProblem, 'line' | 'column'>;
}

type Read = { ok: true; text: ConfigText } | { ok: false; problems: ConfigProblem[] };

/** Rejects unknown and duplicate keys, wrong types and excessive aliases, with their positions. */
export function readConfigText(source: string): Read {
  if (Buffer.byteLength(source) > MAX_CONFIG_BYTES)
    return problem(1, 1, `The file is larger than ${MAX_CONFIG_BYTES} bytes. Move tenants to further files.`);
  const lines = new LineCounter();
  const yaml = parseDocument(source, { lineCounter: lines, uniqueKeys: true, strict: true, version: '1.2' });
  const faults = [...yaml.errors, ...yaml.warnings];
  if (faults.length > 0) {
    const problems = faults.map(({ message, linePos }) => ({
      line: linePos?.[0].line ?? 1,
      column: linePos?.[0].col ?? 1,
      message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '',
    }));
    return { ok: false, problems };
  }
  let value: unknown;
  try {
    value = yaml.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return problem(1, 1, `Its aliases expand to more than ${MAX_ALIASES} nodes. Write them out.`);
  }
  const positionOf = (path: readonly string[]) => place(yaml, lines, path);
  const ambiguous = findAmbiguousNumbers(yaml, lines);
  if (ambiguous.length > 0) return { ok: false, problems: ambiguous };
  const parsed = configDocumentSchema.safeParse(value);
  if (parsed.success) return { ok: true, text: { document: parsed.data, positionOf } };
  const problems = parsed.error.issues.flatMap((issue) =>
    explain(issue, positionOf, valueAt(value, issue.path)),
  );
  return { ok: false, problems };
}

/** @throws CommandError if the file cannot be read, or with each problem and its position */
export function readConfigFile(file: string): ConfigText {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const result = readConfigText(source);
  if (!result.ok) throw new CommandError(listProblems(file, result.problems));
  return result.text;
}

/** One line per problem: `file:line:column: message`. */
export function listProblems(file: string, problems: readonly ConfigProblem[]): string {
  return problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n');
}

/** `5,000 tenants, 3 APIs, 1 tier`. */
export function countObjects({ apis, tiers, offers, tenants }: ConfigDocument): string {
  const kinds: [name: string, plural: string, objects: object | undefined][] = [
    ['tenant', 'tenants', tenants],
    ['API', 'APIs', apis],
    ['tier', 'tiers', tiers],
    ['offer', 'offers', offers],
  ];
  const counts = kinds.flatMap(([name, plural, objects = {}]) => {
    const count = Object.keys(objects).length;
    return count === 0 ? [] : [`${formatCount(count)} ${count === 1 ? name : plural}`];
  });
  return counts.length === 0 ? 'the file' : counts.join(', ');
}

export function writeConfigText(document: object): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);

/** YAML reads `1.000` as 1. */
function findAmbiguousNumbers(yaml: Document, lines: LineCounter): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(yaml, {
    Scalar(key, { value, source = '', range }, ancestors) {
      if (key === 'key' || typeof value !== 'number') return;
      const read = readTypedNumber(source);
      if (read.ok || read.readings.length === 0) return;
      const pair = ancestors.findLast(isPair);
      const name = isPair(pair) && isScalar(pair.key) ? `${String(pair.key.value)}: ` : '';
      const { line, col } = lines.linePos(range?.[0] ?? 0);
      problems.push({ line, column: col, message: name + explainReadings(source, read.readings) });
    },
  });
  return problems;
}

/** Advice for a text in place of a number, such as `1,000` or `1_000`; undefined for other values. */
function explainNumber(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  const isExpected = issue.code === 'invalid_type' && /^(number|int)$/.test(issue.expected);
  if (!isExpected || typeof value !== 'string') return undefined;
  const read = readTypedNumber(value);
  if (!read.ok) return read.readings.length > 0 ? explainReadings(value, read.readings) : undefined;
  return `Write the number as ${read.decimal}, without quotes and separators`;
}

function explain(
  issue: z.core.$ZodIssue,
  positionOf: ConfigText['positionOf'],
  value: unknown,
): ConfigProblem[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys')
    return [
      { ...positionOf(path), message: `${path.join('.')}: ${explainNumber(issue, value) ?? issue.message}` },
    ];
  return issue.keys.map((key) => ({
    ...positionOf([...path, key]),
    message: `${[...path, key].join('.')}: unknown key. Remove it or correct its spelling.`,
  }));
}

/** Position of the key at a path, or of its value if it has no key. */
function place(
  yaml: Document,
  lines: LineCounter,
  path: readonly string[],
): { line: number; column: number } {
  let offset = 0;
  let node: unknown = yaml.contents;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined) break;
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else {
      node = yaml.getIn(path.slice(0, path.indexOf(step) + 1), true);
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    }
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function problem(line: number, column: number, message: string): Read {
  return { ok: false, problems: [{ line, column, message }] };
}

type Entry = Record<string, unknown>;

/** One line per changed leaf: `limits[shop/create].limit: 10 -> 20`. List entries match by API and name. */
export function describeDifference(path: string, before: unknown, after: unknown): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isNamedList(before) && isNamedList(after)) {
    const lines = describeMaps((name) => `${path}[${name}]`, byName(before), byName(after));
    return lines.length > 0 ? lines : [`${path}: order changed`];
  }
  if (isEntry(before) && isEntry(after)) {
    return describeMaps((name) => `${path}.${name}`, toMap(before), toMap(after));
  }
  return [`${path}: ${text(before)} -> ${text(after)}`];
}

function describeMaps(
  pathOf: (name: string) => string,
  before: Map<string, unknown>,
  after: Map<string, unknown>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => describeDifference(pathOf(name), before.get(name), after.get(name)));
}

const toMap = (entry: Entry): Map<string, unknown> => new Map(Object.entries(entry));

function byName(list: readonly Entry[]): Map<string, unknown> {
  return new Map(list.map((entry) => [identityOf(entry), entry]));
}

function identityOf({ api, name }: Entry): string {
  return api === undefined ? String(name) : `${api}/${name}`;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether all entries have unique names. */
function isNamedList(value: unknown): value is Entry[] {
  if (!Array.isArray(value) || !value.every((entry) => isEntry(entry) && 'name' in entry)) return false;
  return new Set(value.map(identityOf)).size === value.length;
}

const text = (value: unknown): string => (value == null ? 'none' : JSON.stringify(value));
