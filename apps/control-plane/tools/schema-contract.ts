import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  type BreakingChange,
  buildSchema,
  findBreakingChanges,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** Deprecations state how long they are kept: `@deprecated(reason: "Use `x`. Kept until 2027-03-01.")`. */
const KEPT_UNTIL = /Kept until (\d{4}-\d{2}-\d{2})\b/;

const SCHEMA = 'apps/control-plane/schema.graphql';

/** The schema at a release tag. */
export interface Release {
  /** Such as `v0.2.0`. */
  tag: string;
  schema: string;
}

/** A breaking change accepted before version 1.0.0. */
export interface AcceptedBreak {
  /** Tag of the release that it breaks. */
  since: string;
  /** As {@link brokenPromises} returns it. */
  change: string;
  reason: string;
}

/**
 * The newest release: the schema at the nearest `v*` tag of the current commit. Undefined before the first release.
 * @param root the repository
 * @throws Error if the tag has no schema
 */
export function findLastRelease(root: string): Release | undefined {
  const tag = git(root, 'describe', '--tags', '--abbrev=0', '--match', 'v*')?.trim();
  if (tag === undefined) return undefined;
  const schema = git(root, 'show', `${tag}:${SCHEMA}`);
  if (schema === undefined) throw new Error(`${tag} has no ${SCHEMA}`);
  return { tag, schema };
}

/** The output of a git command; undefined if the command fails. */
function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  return status === 0 ? stdout : undefined;
}

/** Breaking changes of `schema.graphql` since the last release that nobody has accepted. Empty before the first release. */
export function findUnacceptedBreaks(
  root: string,
  accepted: readonly AcceptedBreak[],
  today: string,
): string[] {
  const release = findLastRelease(root);
  if (release === undefined) return [];
  const current = readFileSync(`${root}/${SCHEMA}`, 'utf8');
  const known = new Set(accepted.filter(({ since }) => since === release.tag).map(({ change }) => change));
  return brokenPromises(release.schema, current, today).filter((change) => !known.has(change));
}

/**
 * Breaking changes between two schemas. Excluded: fields, arguments and enum values that were released as deprecated and
 * whose "Kept until" day is not after `today` (`2027-03-01`), and types that only such fields used.
 */
export function brokenPromises(released: string, current: string, today: string): string[] {
  const before = buildSchema(released);
  const expired = new ExpiredParts(before, today);
  return findBreakingChanges(before, buildSchema(current))
    .filter((change) => !expired.explains(change))
    .map(({ description }) => description);
}

/** Deprecated parts of a released schema whose "Kept until" day has passed. */
class ExpiredParts {
  private readonly schema: GraphQLSchema;
  private readonly today: string;

  constructor(schema: GraphQLSchema, today: string) {
    this.schema = schema;
    this.today = today;
  }

  /** Matches descriptions of graphql-js: `A.b was removed.`, `A.b arg c was removed.`, `X was removed from enum type E.`, `A was removed.` */
  explains({ type, description }: BreakingChange): boolean {
    const [, typeName = '', fieldName = '', argument] =
      /^(\w+)\.(\w+)(?: arg (\w+))? was removed\.$/.exec(description) ?? [];
    switch (type) {
      case 'FIELD_REMOVED':
        return this.isExpired(this.field(typeName, fieldName)?.deprecationReason);
      case 'ARG_REMOVED':
        return this.isExpired(this.argument(typeName, fieldName, argument)?.deprecationReason);
      case 'VALUE_REMOVED_FROM_ENUM': {
        const [, value = '', enumName = ''] =
          /^(\w+) was removed from enum type (\w+)\.$/.exec(description) ?? [];
        const known = this.schema.getType(enumName);
        return isEnumType(known) && this.isExpired(known.getValue(value)?.deprecationReason);
      }
      case 'TYPE_REMOVED':
        // A standard scalar disappears with its last use, which is reported separately.
        if (description.startsWith('Standard scalar ')) return true;
        return this.isUnused(/^(\w+) was removed\.$/.exec(description)?.[1] ?? '');
      default:
        return false;
    }
  }

  private field(typeName: string, name: string) {
    const type = this.schema.getType(typeName);
    const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
    return hasFields ? type.getFields()[name] : undefined;
  }

  private argument(typeName: string, fieldName: string, name: string | undefined) {
    const field = this.field(typeName, fieldName);
    return field !== undefined && 'args' in field ? field.args.find((one) => one.name === name) : undefined;
  }

  /** Whether every field and argument of the type has expired. */
  private isUnused(typeName: string): boolean {
    const uses = Object.values(this.schema.getTypeMap()).flatMap((type) => {
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
      return Object.values(type.getFields()).flatMap((field) => {
        const parts = 'args' in field ? [field, ...field.args] : [field];
        return parts.filter((part) => namedTypeOf(part.type) === typeName && type.name !== typeName);
      });
    });
    return uses.length > 0 && uses.every(({ deprecationReason }) => this.isExpired(deprecationReason));
  }

  private isExpired(reason: string | null | undefined): boolean {
    const until = KEPT_UNTIL.exec(reason ?? '')?.[1];
    return until !== undefined && until <= this.today;
  }
}

/** `[Tier!]!` → `Tier`. */
function namedTypeOf(type: GraphQLType): string {
  return String(getNamedType(type));
}
