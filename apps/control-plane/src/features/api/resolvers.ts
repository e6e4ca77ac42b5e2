import {
  ApisResolver,
  CompareResolver,
  DefaultLimitsResolver,
  LimitsResolver,
  LintResolver,
  PoolLiveResolver,
  PoolsResolver,
  TiersResolver,
  TierVersionsResolver,
} from '../catalogue/index.js';
import {
  EventReviewsResolver,
  InvoicesResolver,
  OffersResolver,
  PurchaseChangesResolver,
  PurchasesResolver,
  TestClockResolver,
} from '../commerce/index.js';
import {
  BulkActionsResolver,
  EntitlementsResolver,
  OverrideLintResolver,
  OverridesResolver,
  QuotaRequestsResolver,
  RolloutsResolver,
  TenantsResolver,
} from '../customers/index.js';
import { DistributionResolver, NodesResolver, PropagationStreamResolver } from '../distribution/index.js';
import {
  AuditResolver,
  ChangeSetsResolver,
  ConfigResolver,
  ImpactResolver,
  RevertsResolver,
  RevisionsResolver,
} from '../governance/index.js';
import { ApiKeysResolver, OperatorsResolver, ServiceTokensResolver } from '../identity/index.js';
import { NoticeStreamResolver, NoticesResolver, WebhooksResolver } from '../notify/index.js';
import {
  AccountResolver,
  InvitationsResolver,
  MembersResolver,
  OperatorInvitationsResolver,
} from '../people/index.js';
import {
  AlertsResolver,
  DecisionsResolver,
  DiscoveredOperationsResolver,
  UsageResolver,
  UsageTickResolver,
  UsageTopResolver,
} from '../usage/index.js';
import { NodeResolver } from './nodes.js';
import { InstallationResolver, ViewerResolver } from './viewer.resolver.js';

/** All resolvers, to print the schema without starting the application. */
export const RESOLVERS = [
  ViewerResolver,
  AccountResolver,
  NodeResolver,
  InstallationResolver,
  ApisResolver,
  PoolsResolver,
  PoolLiveResolver,
  TiersResolver,
  TierVersionsResolver,
  LimitsResolver,
  DefaultLimitsResolver,
  LintResolver,
  CompareResolver,
  RolloutsResolver,
  ConfigResolver,
  TenantsResolver,
  MembersResolver,
  InvitationsResolver,
  OperatorInvitationsResolver,
  ApiKeysResolver,
  AlertsResolver,
  EntitlementsResolver,
  OverridesResolver,
  OverrideLintResolver,
  QuotaRequestsResolver,
  DistributionResolver,
  NodesResolver,
  RevisionsResolver,
  RevertsResolver,
  AuditResolver,
  ChangeSetsResolver,
  BulkActionsResolver,
  ServiceTokensResolver,
  OperatorsResolver,
  OffersResolver,
  PurchasesResolver,
  PurchaseChangesResolver,
  InvoicesResolver,
  EventReviewsResolver,
  TestClockResolver,
  NoticesResolver,
  NoticeStreamResolver,
  PropagationStreamResolver,
  UsageTickResolver,
  WebhooksResolver,
  UsageResolver,
  UsageTopResolver,
  DecisionsResolver,
  DiscoveredOperationsResolver,
  ImpactResolver,
];
