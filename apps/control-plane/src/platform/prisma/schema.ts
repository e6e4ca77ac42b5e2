/** The words of the schema, for whoever does not query: outside repositories, features import no database. */
export {
  ActorKind,
  Algorithm,
  Alignment,
  type Limit as LimitRow,
  MemberRole,
  OnUnavailable,
  OperatorRole,
  TenantStatus,
  TierVersionStatus,
  UnknownOperations,
} from '@tollgate/database';
