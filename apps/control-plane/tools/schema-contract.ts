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

/** Until when something that is deprecated is kept: `@deprecated(reason: "Use `x`. Kept until 2027-03-01.")`. */
const KEPT_UNTIL = /Kept until (\d{4}-\d{2}-\d{2})\b/;

/**
 * What of the released schema callers can no longer rely on. Left out is what they were told of in time: a field,
 * argument or enum value that was released as deprecated, with a day in its reason that is over by `today`
 * (`2027-03-01`), and types that only such fields used.
 */
export function brokenPromises(released: string, current: string, today: string): string[] {
  const before = buildSchema(released);
  const ended = new EndedParts(before, today);
  return findBreakingChanges(before, buildSchema(current))
    .filter((change) => !ended.explains(change))
    .map(({ description }) => description);
}

/** The parts of a released schema whose time is over. */
class EndedParts {
  private readonly schema: GraphQLSchema;
  private readonly today: string;

  constructor(schema: GraphQLSchema, today: string) {
    this.schema = schema;
    this.today = today;
  }

  /** By what graphql-js says: `A.b was removed.`, `A.b arg c was removed.`, `X was removed from enum type E.`, `A was removed.` */
  explains({ type, description }: BreakingChange): boolean {
    const [, typeName = '', fieldName = '', argument] =
      /^(\w+)\.(\w+)(?: arg (\w+))? was removed\.$/.exec(description) ?? [];
    switch (type) {
      case 'FIELD_REMOVED':
        return this.isOver(this.field(typeName, fieldName)?.deprecationReason);
      case 'ARG_REMOVED':
        return this.isOver(this.argument(typeName, fieldName, argument)?.deprecationReason);
      case 'VALUE_REMOVED_FROM_ENUM': {
        const [, value = '', enumName = ''] =
          /^(\w+) was removed from enum type (\w+)\.$/.exec(description) ?? [];
        const known = this.schema.getType(enumName);
        return isEnumType(known) && this.isOver(known.getValue(value)?.deprecationReason);
      }
      case 'TYPE_REMOVED':
        // `ID` and the like are nobody's to keep: what used them is what counts.
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

  /** Whether all that leads to a type is over. */
  private isUnused(typeName: string): boolean {
    const uses = Object.values(this.schema.getTypeMap()).flatMap((type) => {
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
      return Object.values(type.getFields()).flatMap((field) => {
        const parts = 'args' in field ? [field, ...field.args] : [field];
        return parts.filter((part) => namedTypeOf(part.type) === typeName && type.name !== typeName);
      });
    });
    return uses.length > 0 && uses.every(({ deprecationReason }) => this.isOver(deprecationReason));
  }

  private isOver(reason: string | null | undefined): boolean {
    const until = KEPT_UNTIL.exec(reason ?? '')?.[1];
    return until !== undefined && until <= this.today;
  }
}

/** `[Tier!]!` is of `Tier`. */
function namedTypeOf(type: GraphQLType): string {
  return String(getNamedType(type));
}
