import { ApisResolver, PoolLiveResolver, PoolsResolver } from '../catalogue/apis/index.js';
import {
  CompareResolver,
  DefaultLimitsResolver,
  LimitsResolver,
  LintResolver,
  TiersResolver,
  TierVersionsResolver,
} from '../catalogue/tiers/index.js';
import { EventReviewsResolver, TestClockResolver } from '../commerce/checkout/index.js';
import { OffersResolver } from '../commerce/offers/index.js';
import { InvoicesResolver, PurchaseChangesResolver, PurchasesResolver } from '../commerce/purchases/index.js';
import { BulkActionsResolver } from '../customers/bulk/index.js';
import { EntitlementsResolver } from '../customers/entitlements/index.js';
import { OverrideLintResolver, OverridesResolver } from '../customers/overrides/index.js';
import { QuotaRequestsResolver } from '../customers/quota-requests/index.js';
import { RolloutsResolver } from '../customers/rollouts/index.js';
import { TenantsResolver } from '../customers/tenants/index.js';
import { DistributionResolver, NodesResolver, PropagationStreamResolver } from '../distribution/index.js';
import { AuditResolver } from '../governance/audit/index.js';
import { ChangeSetsResolver } from '../governance/change-sets/index.js';
import { ConfigResolver } from '../governance/config/index.js';
import { ImpactResolver } from '../governance/impact/index.js';
import { RevertsResolver } from '../governance/reverts/index.js';
import { RevisionsResolver } from '../governance/revisions/index.js';
import { ApiKeysResolver } from '../identity/api-keys/index.js';
import { OperatorsResolver } from '../identity/operators/index.js';
import { ServiceTokensResolver } from '../identity/service-tokens/index.js';
import { NoticeStreamResolver, NoticesResolver } from '../notify/notices/index.js';
import { WebhooksResolver } from '../notify/webhooks/index.js';
import { AccountResolver } from '../people/account/index.js';
import {
  InvitationsResolver,
  MembersResolver,
  OperatorInvitationsResolver,
} from '../people/members/index.js';
import { AlertsResolver } from '../usage/alerts/index.js';
import { UsageTickResolver } from '../usage/live/index.js';
import {
  DecisionsResolver,
  DiscoveredOperationsResolver,
  UsageResolver,
  UsageTopResolver,
} from '../usage/usage/index.js';
import { InstallationResolver, NodeResolver, ViewerResolver } from './viewer/index.js';

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
