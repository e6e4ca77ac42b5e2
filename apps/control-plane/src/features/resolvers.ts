import { AccountResolver } from './account/index.js';
import { AlertsResolver } from './alerts/index.js';
import { ApiKeysResolver } from './api-keys/index.js';
import { ApisResolver, PoolLiveResolver, PoolsResolver } from './apis/index.js';
import { AuditResolver } from './audit/index.js';
import { BulkActionsResolver } from './bulk/index.js';
import { ChangeSetsResolver } from './change-sets/index.js';
import { EventReviewsResolver, TestClockResolver } from './checkout/index.js';
import { ConfigResolver } from './config/index.js';
import { DistributionResolver, NodesResolver, PropagationStreamResolver } from './distribution/index.js';
import { EntitlementsResolver } from './entitlements/index.js';
import { ImpactResolver } from './impact/index.js';
import { UsageTickResolver } from './live/index.js';
import { InvitationsResolver, MembersResolver, OperatorInvitationsResolver } from './members/index.js';
import { NoticeStreamResolver, NoticesResolver } from './notices/index.js';
import { OffersResolver } from './offers/index.js';
import { OperatorsResolver } from './operators/index.js';
import { OverrideLintResolver, OverridesResolver } from './overrides/index.js';
import { InvoicesResolver, PurchaseChangesResolver, PurchasesResolver } from './purchases/index.js';
import { QuotaRequestsResolver } from './quota-requests/index.js';
import { RevertsResolver } from './reverts/index.js';
import { RevisionsResolver } from './revisions/index.js';
import { RolloutsResolver } from './rollouts/index.js';
import { ServiceTokensResolver } from './service-tokens/index.js';
import { TenantsResolver } from './tenants/index.js';
import {
  CompareResolver,
  DefaultLimitsResolver,
  LimitsResolver,
  LintResolver,
  TiersResolver,
  TierVersionsResolver,
} from './tiers/index.js';
import {
  DecisionsResolver,
  DiscoveredOperationsResolver,
  UsageResolver,
  UsageTopResolver,
} from './usage/index.js';
import { InstallationResolver, NodeResolver, ViewerResolver } from './viewer/index.js';
import { WebhooksResolver } from './webhooks/index.js';

/** Every resolver, for printing the schema without starting anything. */
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
