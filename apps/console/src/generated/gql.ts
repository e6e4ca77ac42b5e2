/* eslint-disable */
import * as types from './graphql.js';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query PaletteSearch($text: String!, $status: TenantStatus) {\n    tenants(first: 6, search: $text, status: $status) { nodes { key name } }\n    apis(first: 5, search: $text) { nodes { key name } }\n    tiers(first: 50) { nodes { key name draft { id } } }\n  }\n": typeof types.PaletteSearchDocument,
    "\n  query PaletteNode($id: ID!) {\n    node(id: $id) {\n      __typename\n      id\n      ... on Api { apiKeyName: key }\n      ... on Tier { tierKey: key }\n      ... on Tenant { tenantKey: key }\n      ... on Offer { offerKey: key }\n      ... on AuditEntry { entityId }\n    }\n  }\n": typeof types.PaletteNodeDocument,
    "\n  query AccountSecurity {\n    accountSecurity {\n      twoFactorEnabled recoveryCodesLeft\n      passkeys { id name createdAt backedUp }\n      sessions { id userAgent ipAddress createdAt lastUsedAt isCurrent }\n    }\n  }\n": typeof types.AccountSecurityDocument,
    "\n  mutation SessionRevoke($input: SessionRevokeInput!) {\n    sessionRevoke(input: $input) { revoked userErrors { code field message } }\n  }\n": typeof types.SessionRevokeDocument,
    "\n  mutation SessionRevokeOthers($input: SessionRevokeOthersInput!) {\n    sessionRevokeOthers(input: $input) { revoked userErrors { code field message } }\n  }\n": typeof types.SessionRevokeOthersDocument,
    "\n  mutation PasswordResetRequest($input: PasswordResetRequestInput!) {\n    passwordResetRequest(input: $input) { userErrors { code field message } }\n  }\n": typeof types.PasswordResetRequestDocument,
    "\n  query TenantAdjustments($tenantKey: String!) {\n    overrides(tenantKey: $tenantKey, first: 50) {\n      totalCount\n      nodes {\n        id kind status apiKey limit appliesTo reason startsAt endsAt createdAt createdBy removedAt\n        effect { kind units percent limit }\n      }\n    }\n    entitlements(tenantKey: $tenantKey, first: 50) {\n      totalCount\n      nodes {\n        id source cause label purchaseId apiKey limit appliesTo startsAt endsAt inForce createdAt actor\n        effect { kind units percent limit }\n      }\n    }\n  }\n": typeof types.TenantAdjustmentsDocument,
    "\n  mutation OverrideRemove($input: OverrideRemoveInput!) {\n    overrideRemove(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.OverrideRemoveDocument,
    "\n  mutation BoostEnd($input: BoostEndInput!) {\n    boostEnd(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.BoostEndDocument,
    "\n  mutation EntitlementRevoke($input: EntitlementRevokeInput!) {\n    entitlementRevoke(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.EntitlementRevokeDocument,
    "\n  mutation OverrideSet($input: OverrideSetInput!) {\n    overrideSet(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n": typeof types.OverrideSetDocument,
    "\n  mutation BoostStart($input: BoostStartInput!) {\n    boostStart(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n": typeof types.BoostStartDocument,
    "\n  mutation EntitlementGrant($input: EntitlementGrantInput!) {\n    entitlementGrant(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n": typeof types.EntitlementGrantDocument,
    "\n  query AlertThresholds($tenantKey: String!) {\n    alertThresholds(tenantKey: $tenantKey) { id apiKey limitName percents }\n  }\n": typeof types.AlertThresholdsDocument,
    "\n  mutation AlertThresholdSet($input: AlertThresholdSetInput!) {\n    alertThresholdSet(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.AlertThresholdSetDocument,
    "\n  mutation AlertThresholdRemove($input: AlertThresholdRemoveInput!) {\n    alertThresholdRemove(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.AlertThresholdRemoveDocument,
    "\n  query ApiKeys($tenantKey: String!, $first: Int!, $after: String) {\n    apiKeys(tenantKey: $tenantKey, first: $first, after: $after) {\n      totalCount\n      nodes {\n        id name mode publicId scopes createdAt createdBy expiresAt lastUsedAt revokedAt\n        secrets { lastFour endsAt }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.ApiKeysDocument,
    "\n  mutation ApiKeyCreate($input: ApiKeyCreateInput!) {\n    apiKeyCreate(input: $input) { key userErrors { code field message } }\n  }\n": typeof types.ApiKeyCreateDocument,
    "\n  mutation ApiKeyRotate($input: ApiKeyRotateInput!) {\n    apiKeyRotate(input: $input) { key userErrors { code field message } }\n  }\n": typeof types.ApiKeyRotateDocument,
    "\n  mutation ApiKeyRevoke($input: ApiKeyRevokeInput!) {\n    apiKeyRevoke(input: $input) { userErrors { code field message } }\n  }\n": typeof types.ApiKeyRevokeDocument,
    "\n  query Apis {\n    apis(first: 100) {\n      totalCount\n      nodes { id key name description unknownOperations operations { id name cost } }\n    }\n  }\n": typeof types.ApisDocument,
    "\n  query Api($key: String!) {\n    api(key: $key) {\n      id key name description unknownOperations headerStyles tags managedBy version createdAt\n      operations { id name description cost priority }\n      pools { id name operations capacity reclaimPercent }\n      defaultLimits { ...LimitFields }\n    }\n  }\n": typeof types.ApiDocument,
    "\n  query TiersOfApi($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id key name rank published { id limits { ...LimitFields } } }\n    }\n  }\n": typeof types.TiersOfApiDocument,
    "\n  query PoolsLive($key: String!) {\n    api(key: $key) {\n      id\n      pools { id live { capacity admitted borrowed spare borrowers nodes } }\n    }\n  }\n": typeof types.PoolsLiveDocument,
    "\n  query DiscoveredOperations($apiKey: String) {\n    discoveredOperations(apiKey: $apiKey) { apiKey apiKnown operation known count tenants lastHour }\n  }\n": typeof types.DiscoveredOperationsDocument,
    "\n  mutation ApiCreate($input: ApiCreateInput!) {\n    apiCreate(input: $input) { api { id key } userErrors { code field message } }\n  }\n": typeof types.ApiCreateDocument,
    "\n  mutation ApiUpdate($input: ApiUpdateInput!) {\n    apiUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.ApiUpdateDocument,
    "\n  mutation ApiDelete($input: ApiDeleteInput!) {\n    apiDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.ApiDeleteDocument,
    "\n  mutation OperationCreate($input: OperationCreateInput!) {\n    operationCreate(input: $input) { impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.OperationCreateDocument,
    "\n  mutation OperationUpdate($input: OperationUpdateInput!) {\n    operationUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.OperationUpdateDocument,
    "\n  mutation OperationDelete($input: OperationDeleteInput!) {\n    operationDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.OperationDeleteDocument,
    "\n  mutation PoolCreate($input: PoolCreateInput!) {\n    poolCreate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.PoolCreateDocument,
    "\n  mutation PoolUpdate($input: PoolUpdateInput!) {\n    poolUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.PoolUpdateDocument,
    "\n  mutation PoolDelete($input: PoolDeleteInput!) {\n    poolDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.PoolDeleteDocument,
    "\n  query AuditEntries(\n    $first: Int!, $after: String, $tenant: String, $actor: String, $action: String, $entityId: String,\n    $changeId: String, $from: DateTime, $to: DateTime\n  ) {\n    auditEntries(\n      first: $first, after: $after, tenant: $tenant, actor: $actor, action: $action, entityId: $entityId,\n      changeId: $changeId, from: $from, to: $to\n    ) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id at actor actorKind action entity entityId entityName entityKey revertedName tenantKey before after reason requestId changeId address userAgent\n        chain sequence hash\n      }\n    }\n  }\n": typeof types.AuditEntriesDocument,
    "\n  query AuditVerify($tenantKey: String) {\n    auditVerify(tenantKey: $tenantKey) {\n      ok chains entries unsignedChains brokenChains\n      breaks { chain sequence problem }\n    }\n  }\n": typeof types.AuditVerifyDocument,
    "\n  query BulkActions {\n    bulkActions(first: 5) {\n      nodes {\n        id kind status input reason startedBy createdAt finishedAt revertedById stoppedBecause\n        progress { total pending done failed canceled }\n      }\n    }\n  }\n": typeof types.BulkActionsDocument,
    "\n  query BulkFailures($id: ID!) {\n    bulkAction(id: $id) { id items(first: 100, status: FAILED) { nodes { tenantKey error } } }\n  }\n": typeof types.BulkFailuresDocument,
    "\n  mutation BulkActionStart($input: BulkActionStartInput!) {\n    bulkActionStart(input: $input) {\n      tenants tried refusals { tenantKey message }\n      impact { tenants increased decreased }\n      bulkAction { id }\n      userErrors { code field message }\n    }\n  }\n": typeof types.BulkActionStartDocument,
    "\n  mutation BulkActionCancel($input: BulkActionInput!) {\n    bulkActionCancel(input: $input) { userErrors { code field message } }\n  }\n": typeof types.BulkActionCancelDocument,
    "\n  mutation BulkActionUndo($input: BulkActionInput!) {\n    bulkActionUndo(input: $input) { userErrors { code field message } }\n  }\n": typeof types.BulkActionUndoDocument,
    "\n  query ChangeSets($after: String) {\n    changeSets(first: 25, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id title status version author createdAt scheduledAt items { id } }\n    }\n  }\n": typeof types.ChangeSetsDocument,
    "\n  query ChangeSet($id: ID!) {\n    changeSet(id: $id) {\n      id title description status version author createdAt reviewedBy reviewedAt note\n      scheduledAt appliedAt appliedBy changeId revertsId\n      items { id command input }\n      diff {\n        stale\n        entries { item action entity entityId tenantKey fields { path before after } }\n        errors { code field message }\n        impact { ...ImpactFields }\n      }\n    }\n  }\n": typeof types.ChangeSetDocument,
    "\n  fragment ChangeSetOutcome on ChangeSetPayload {\n    changeId\n    changeSet { id title version status }\n    userErrors { code field message }\n  }\n": typeof types.ChangeSetOutcomeFragmentDoc,
    "\n  mutation ChangeSetSubmit($input: ChangeSetInput!) {\n    changeSetSubmit(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetSubmitDocument,
    "\n  mutation ChangeSetApprove($input: ChangeSetReviewInput!) {\n    changeSetApprove(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetApproveDocument,
    "\n  mutation ChangeSetReject($input: ChangeSetReviewInput!) {\n    changeSetReject(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetRejectDocument,
    "\n  mutation ChangeSetApply($input: ChangeSetInput!) {\n    changeSetApply(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetApplyDocument,
    "\n  mutation ChangeSetCancel($input: ChangeSetInput!) {\n    changeSetCancel(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetCancelDocument,
    "\n  mutation ChangeSetRevert($input: ChangeSetInput!) {\n    changeSetRevert(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetRevertDocument,
    "\n  mutation ChangeSetSchedule($input: ChangeSetScheduleInput!) {\n    changeSetSchedule(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetScheduleDocument,
    "\n  mutation ChangeSetRemoveItem($input: ChangeSetRemoveItemInput!) {\n    changeSetRemoveItem(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetRemoveItemDocument,
    "\n  mutation ChangeSetCreate($input: ChangeSetCreateInput!) {\n    changeSetCreate(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetCreateDocument,
    "\n  mutation ChangeSetAddItem($input: ChangeSetAddItemInput!) {\n    changeSetAddItem(input: $input) { ...ChangeSetOutcome }\n  }\n": typeof types.ChangeSetAddItemDocument,
    "\n  query Why($text: String!, $publicId: String!) {\n    decision(requestId: $text) {\n      id tenantKey requestId at nodeId apiKey operation cost outcome reason limitName retryAfter delayMs revision\n      subject { dimension pseudonym }\n      policies { limitName limit remaining resetAt mode success }\n    }\n    tenantOfApiKey(publicId: $publicId) { id key }\n    tenant(key: $text) { id key }\n  }\n": typeof types.WhyDocument,
    "\n  query RecentDenials($tenantKey: String!) {\n    decisions(tenantKey: $tenantKey, outcome: DENIED, first: 20) {\n      nodes { id requestId at apiKey operation limitName reason }\n    }\n  }\n": typeof types.RecentDenialsDocument,
    "\n  fragment LadderFields on LimitLadder {\n    revision publishedAt tierKey tierName tierVersion\n    limit {\n      source tierLimit\n      provenance { source adjustmentId label from to until }\n      limit { ...LimitFields }\n    }\n    sources { adjustmentId actor reason purchaseId changeId }\n    tierChange { changeId actor action reason changeSetId changeSetTitle }\n    introduced {\n      revision at isScheduled\n      changes { changeId actor action reason changeSetId changeSetTitle }\n    }\n  }\n": typeof types.LadderFieldsFragmentDoc,
    "\n  query Ladder($tenantKey: String!, $apiKey: String!, $limitName: String!, $revision: Int!, $at: DateTime!) {\n    past: limitLadder(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName, revision: $revision, at: $at) {\n      ...LadderFields\n    }\n    today: limitLadder(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) { ...LadderFields }\n  }\n": typeof types.LadderDocument,
    "\n  query InstallationSettings {\n    installationSettings {\n      productName accent logo companyName address taxId registration contact invoiceNote\n      taxLabel taxBasisPoints embedOrigins version\n    }\n  }\n": typeof types.InstallationSettingsDocument,
    "\n  mutation UsageWidgetTokenCreate($input: UsageWidgetTokenCreateInput!) {\n    usageWidgetTokenCreate(input: $input) { url userErrors { code field message } }\n  }\n": typeof types.UsageWidgetTokenCreateDocument,
    "\n  mutation InstallationUpdate($input: InstallationUpdateInput!) {\n    installationUpdate(input: $input) {\n      installation { version }\n      userErrors { code field message }\n    }\n  }\n": typeof types.InstallationUpdateDocument,
    "\n  query Jobs($state: JobState) {\n    jobQueues { name paused counts { state count } }\n    jobs(state: $state) { id queue name state attempts maxAttempts error stack data everyMs at }\n  }\n": typeof types.JobsDocument,
    "\n  mutation JobRetry($input: JobTargetInput!) {\n    jobRetry(input: $input) { job { state } userErrors { code field message } }\n  }\n": typeof types.JobRetryDocument,
    "\n  mutation JobRemove($input: JobTargetInput!) {\n    jobRemove(input: $input) { job { state } userErrors { code field message } }\n  }\n": typeof types.JobRemoveDocument,
    "\n  mutation JobQueuePause($input: JobQueueTargetInput!) {\n    jobQueuePause(input: $input) { queue { paused } userErrors { code field message } }\n  }\n": typeof types.JobQueuePauseDocument,
    "\n  mutation JobQueueResume($input: JobQueueTargetInput!) {\n    jobQueueResume(input: $input) { queue { paused } userErrors { code field message } }\n  }\n": typeof types.JobQueueResumeDocument,
    "\n  query Invitation($token: String!) {\n    invitation(token: $token) { email to role hasAccount expiresAt }\n  }\n": typeof types.InvitationDocument,
    "\n  mutation InvitationAccept($input: InvitationAcceptInput!) {\n    invitationAccept(input: $input) { email tenantKey userErrors { code field message } }\n  }\n": typeof types.InvitationAcceptDocument,
    "\n  mutation TenantSignUp($input: TenantSignUpInput!) {\n    tenantSignUp(input: $input) { userErrors { code field message } }\n  }\n": typeof types.TenantSignUpDocument,
    "\n  query SignUpOpen {\n    installation { signUp }\n  }\n": typeof types.SignUpOpenDocument,
    "\n  query LiveExample {\n    tenants(first: 1, status: ACTIVE) { nodes { key } }\n    apis(first: 10) { nodes { key operations { name } } }\n  }\n": typeof types.LiveExampleDocument,
    "\n  query TenantPeople($tenantKey: String!) {\n    tenant(key: $tenantKey) { name members { id name email role } }\n    invitations(tenantKey: $tenantKey, first: 100) { nodes { id email role invitedBy expiresAt createdAt } }\n  }\n": typeof types.TenantPeopleDocument,
    "\n  mutation MemberInvite($input: MemberInviteInput!) {\n    memberInvite(input: $input) { userErrors { code field message } }\n  }\n": typeof types.MemberInviteDocument,
    "\n  mutation MemberRoleChange($input: MemberRoleChangeInput!) {\n    memberRoleChange(input: $input) { userErrors { code field message } }\n  }\n": typeof types.MemberRoleChangeDocument,
    "\n  mutation MemberRemove($input: MemberRemoveInput!) {\n    memberRemove(input: $input) { userErrors { code field message } }\n  }\n": typeof types.MemberRemoveDocument,
    "\n  mutation InvitationResend($input: InvitationTargetInput!) {\n    invitationResend(input: $input) { userErrors { code field message } }\n  }\n": typeof types.InvitationResendDocument,
    "\n  mutation InvitationRevoke($input: InvitationTargetInput!) {\n    invitationRevoke(input: $input) { userErrors { code field message } }\n  }\n": typeof types.InvitationRevokeDocument,
    "\n  query DecisionNodes($includeRetired: Boolean) {\n    decisionNodes(includeRetired: $includeRetired) {\n      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale policyAgeMs policyStale retiredAt\n      nack { revision reason }\n    }\n    currentRevision { number publishedAt hash }\n  }\n": typeof types.DecisionNodesDocument,
    "\n  mutation NodeRetire($input: NodeRetireInput!) {\n    nodeRetire(input: $input) { node { nodeId retiredAt } userErrors { code field message } }\n  }\n": typeof types.NodeRetireDocument,
    "\n  query Propagation($changeId: ID!) {\n    propagation(changeId: $changeId) {\n      changeId state revision publishedAt liveNodes totalNodes slowestMs\n      nodes { nodeId live latencyMs nack { revision reason } }\n    }\n  }\n": typeof types.PropagationDocument,
    "\n  query RecentChanges($first: Int!) {\n    revisions(first: $first) {\n      nodes { number changes { changeId at actor action entity entityId entityName entityKey tenantKey } }\n    }\n  }\n": typeof types.RecentChangesDocument,
    "\n  query Notices($first: Int!, $after: String, $tenantKey: String) {\n    notices(first: $first, after: $after, tenantKey: $tenantKey) {\n      pageInfo { hasNextPage endCursor }\n      nodes { id kind severity title data tenantKey createdAt }\n    }\n  }\n": typeof types.NoticesDocument,
    "\n  query NoticesUnread($tenantKey: String) { noticesUnread(tenantKey: $tenantKey) }\n": typeof types.NoticesUnreadDocument,
    "\n  mutation NoticesMarkRead($input: NoticesMarkReadInput!) {\n    noticesMarkRead(input: $input) { unread userErrors { code field message } }\n  }\n": typeof types.NoticesMarkReadDocument,
    "\n  fragment OfferFields on Offer {\n    id key name description kind status priceMinor currency interval validDays graceDays\n    effects { apiKey limitName appliesTo kind units percent }\n    tierKeys maxQuantity stock stockLeft carryOver version createdAt\n  }\n": typeof types.OfferFieldsFragmentDoc,
    "\n  query Offers($first: Int!, $after: String, $status: OfferStatus) {\n    offers(first: $first, after: $after, status: $status) {\n      totalCount nodes { ...OfferFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.OffersDocument,
    "\n  query Offer($key: String!) {\n    offer(key: $key) { ...OfferFields }\n  }\n": typeof types.OfferDocument,
    "\n  mutation OfferCreate($input: OfferCreateInput!) {\n    offerCreate(input: $input) { offer { key } userErrors { code field message } }\n  }\n": typeof types.OfferCreateDocument,
    "\n  mutation OfferUpdate($input: OfferUpdateInput!) {\n    offerUpdate(input: $input) { offer { key } userErrors { code field message } }\n  }\n": typeof types.OfferUpdateDocument,
    "\n  mutation OfferActivate($input: OfferChangeInput!) {\n    offerActivate(input: $input) { offer { key status } userErrors { code field message } }\n  }\n": typeof types.OfferActivateDocument,
    "\n  mutation OfferArchive($input: OfferChangeInput!) {\n    offerArchive(input: $input) { offer { key status } userErrors { code field message } }\n  }\n": typeof types.OfferArchiveDocument,
    "\n  query Operators {\n    operators { id email name role createdAt suspendedAt }\n    operatorInvitations(first: 50) { nodes { id email operatorRole invitedBy createdAt expiresAt } }\n  }\n": typeof types.OperatorsDocument,
    "\n  mutation OperatorInvite($input: OperatorInviteInput!) {\n    operatorInvite(input: $input) { userErrors { code field message } }\n  }\n": typeof types.OperatorInviteDocument,
    "\n  mutation OperatorRoleChange($input: OperatorRoleChangeInput!) {\n    operatorRoleChange(input: $input) { userErrors { code field message } }\n  }\n": typeof types.OperatorRoleChangeDocument,
    "\n  mutation OperatorSuspend($input: OperatorStatusInput!) {\n    operatorSuspend(input: $input) { userErrors { code field message } }\n  }\n": typeof types.OperatorSuspendDocument,
    "\n  mutation OperatorResume($input: OperatorStatusInput!) {\n    operatorResume(input: $input) { userErrors { code field message } }\n  }\n": typeof types.OperatorResumeDocument,
    "\n  mutation OperatorRemove($input: OperatorStatusInput!) {\n    operatorRemove(input: $input) { userErrors { code field message } }\n  }\n": typeof types.OperatorRemoveDocument,
    "\n  mutation OperatorInvitationResend($input: OperatorInvitationTargetInput!) {\n    operatorInvitationResend(input: $input) { userErrors { code field message } }\n  }\n": typeof types.OperatorInvitationResendDocument,
    "\n  mutation OperatorInvitationRevoke($input: OperatorInvitationTargetInput!) {\n    operatorInvitationRevoke(input: $input) { userErrors { code field message } }\n  }\n": typeof types.OperatorInvitationRevokeDocument,
    "\n  query DecisionUrl {\n    installation { decisionUrl }\n  }\n": typeof types.DecisionUrlDocument,
    "\n  query PortalTenant($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone\n      subscription { tier { key name } }\n      effectiveLimits {\n        source tierLimit clamped\n        live { used remaining resetAt }\n        provenance { adjustmentId label source from to until }\n        limit { ...LimitFields }\n      }\n    }\n  }\n": typeof types.PortalTenantDocument,
    "\n  query PortalUtilization($tenantKey: String!) {\n    limitUtilization(tenantKey: $tenantKey) {\n      apiKey limitName used capacity percent denied limitedSince resetsAt exhaustsAt\n    }\n  }\n": typeof types.PortalUtilizationDocument,
    "\n  mutation OwnLimitSet($input: OwnLimitSetInput!) {\n    ownLimitSet(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.OwnLimitSetDocument,
    "\n  mutation OwnLimitRemove($input: OwnLimitRemoveInput!) {\n    ownLimitRemove(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.OwnLimitRemoveDocument,
    "\n  fragment PurchaseFields on Purchase {\n    id tenantKey label kind provider status quantity amountMinor currency interval\n    renews paidThrough graceEndsAt checkoutUrl createdAt\n    offer { key name }\n    effects { apiKey limitName appliesTo kind units percent }\n  }\n": typeof types.PurchaseFieldsFragmentDoc,
    "\n  query Purchases($first: Int!, $after: String, $tenantKey: String, $status: PurchaseStatus) {\n    purchases(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...PurchaseFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.PurchasesDocument,
    "\n  query Purchase($id: ID!) {\n    purchase(id: $id) {\n      ...PurchaseFields\n      providerStop { attempts isExhausted lastError nextAttemptAt }\n      payments { ref at amountMinor currency status reviewReason refundedMinor disputedMinor }\n      events { id source type at payment amountMinor reason }\n      moneyEntries { id account amountMinor currency at }\n    }\n  }\n": typeof types.PurchaseDocument,
    "\n  query PaymentProviders {\n    paymentProviders\n  }\n": typeof types.PaymentProvidersDocument,
    "\n  query PurchasePreview($tenantKey: String!, $offerKey: String!, $quantity: Int!) {\n    purchasePreview(tenantKey: $tenantKey, offerKey: $offerKey, quantity: $quantity) {\n      limits { apiKey limitName before after }\n      noEffect amountMinor renewsAt\n    }\n  }\n": typeof types.PurchasePreviewDocument,
    "\n  mutation PurchaseStart($input: PurchaseStartInput!) {\n    purchaseStart(input: $input) { purchase { id checkoutUrl } userErrors { code field message } }\n  }\n": typeof types.PurchaseStartDocument,
    "\n  mutation PurchaseCancel($input: PurchaseCancelInput!) {\n    purchaseCancel(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.PurchaseCancelDocument,
    "\n  mutation PurchaseRefund($input: PurchaseRefundInput!) {\n    purchaseRefund(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.PurchaseRefundDocument,
    "\n  mutation PurchaseApprove($input: PaymentDecisionInput!) {\n    purchaseApprove(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.PurchaseApproveDocument,
    "\n  mutation PurchaseReject($input: PaymentDecisionInput!) {\n    purchaseReject(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.PurchaseRejectDocument,
    "\n  mutation PurchaseStopRetry($input: PurchaseCancelInput!) {\n    purchaseStopRetry(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.PurchaseStopRetryDocument,
    "\n  fragment InvoiceFields on Invoice {\n    id number period status amountMinor currency issuedAt dueAt closedAt reference\n    purchase { id tenantKey label }\n  }\n": typeof types.InvoiceFieldsFragmentDoc,
    "\n  query Invoices($first: Int!, $after: String, $tenantKey: String, $status: InvoiceStatus) {\n    invoices(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...InvoiceFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.InvoicesDocument,
    "\n  mutation InvoiceMarkPaid($input: InvoiceMarkPaidInput!) {\n    invoiceMarkPaid(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.InvoiceMarkPaidDocument,
    "\n  mutation InvoiceVoid($input: InvoiceVoidInput!) {\n    invoiceVoid(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.InvoiceVoidDocument,
    "\n  query BillingDetails($tenantKey: String!) {\n    billingDetails(tenantKey: $tenantKey) { name address taxId email version }\n  }\n": typeof types.BillingDetailsDocument,
    "\n  mutation BillingDetailsSet($input: BillingDetailsSetInput!) {\n    billingDetailsSet(input: $input) { billingDetails { version } userErrors { code field message } }\n  }\n": typeof types.BillingDetailsSetDocument,
    "\n  query PaymentEventReviews($first: Int!, $after: String, $status: PaymentEventReviewStatus) {\n    paymentEventReviews(first: $first, after: $after, status: $status) {\n      totalCount\n      nodes { id provider eventId type apiVersion problem status attempts receivedAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.PaymentEventReviewsDocument,
    "\n  mutation PaymentEventRetry($input: PaymentEventRetryInput!) {\n    paymentEventRetry(input: $input) { userErrors { code field message } }\n  }\n": typeof types.PaymentEventRetryDocument,
    "\n  mutation PaymentEventDismiss($input: PaymentEventDismissInput!) {\n    paymentEventDismiss(input: $input) { userErrors { code field message } }\n  }\n": typeof types.PaymentEventDismissDocument,
    "\n  query BillingTime($tenantKey: String!) {\n    billingTime(tenantKey: $tenantKey) { now isTest }\n  }\n": typeof types.BillingTimeDocument,
    "\n  mutation TestClockAdvance($input: TestClockAdvanceInput!) {\n    testClockAdvance(input: $input) { clock { now isTest } userErrors { code field message } }\n  }\n": typeof types.TestClockAdvanceDocument,
    "\n  query Spending($tenantKey: String!) {\n    spending(tenantKey: $tenantKey) { currency capMinor paidMinor expectedMinor resetsAt }\n  }\n": typeof types.SpendingDocument,
    "\n  mutation SpendCapSet($input: SpendCapSetInput!) {\n    spendCapSet(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.SpendCapSetDocument,
    "\n  mutation PaymentPortalLink($input: PaymentPortalLinkInput!) {\n    paymentPortalLink(input: $input) { url userErrors { code field message } }\n  }\n": typeof types.PaymentPortalLinkDocument,
    "\n  query Revenue {\n    revenue {\n      currency monthlyMinor receivedMinor failedRenewals failedMinor\n      offers { offerKey offerName purchases monthlyMinor }\n      upgrades { tierKey tierName purchases }\n    }\n  }\n": typeof types.RevenueDocument,
    "\n  fragment QuotaRequestFields on QuotaRequest {\n    id status apiKey limit current wanted why offered until answer requestedBy version createdAt\n    tenant { key name timeZone }\n  }\n": typeof types.QuotaRequestFieldsFragmentDoc,
    "\n  query QuotaRequests($first: Int!, $after: String, $tenantKey: String, $status: QuotaRequestStatus) {\n    quotaRequests(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...QuotaRequestFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.QuotaRequestsDocument,
    "\n  mutation QuotaRequestApprove($input: QuotaRequestApproveInput!) {\n    quotaRequestApprove(input: $input) { changeId warnings userErrors { code field message } }\n  }\n": typeof types.QuotaRequestApproveDocument,
    "\n  mutation QuotaRequestCounter($input: QuotaRequestCounterInput!) {\n    quotaRequestCounter(input: $input) { changeId warnings userErrors { code field message } }\n  }\n": typeof types.QuotaRequestCounterDocument,
    "\n  mutation QuotaRequestDecline($input: QuotaRequestDeclineInput!) {\n    quotaRequestDecline(input: $input) { changeId warnings userErrors { code field message } }\n  }\n": typeof types.QuotaRequestDeclineDocument,
    "\n  mutation QuotaRequestCreate($input: QuotaRequestCreateInput!) {\n    quotaRequestCreate(input: $input) { request { id } userErrors { code field message } }\n  }\n": typeof types.QuotaRequestCreateDocument,
    "\n  mutation QuotaRequestAccept($input: QuotaRequestOwnInput!) {\n    quotaRequestAccept(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.QuotaRequestAcceptDocument,
    "\n  mutation QuotaRequestWithdraw($input: QuotaRequestOwnInput!) {\n    quotaRequestWithdraw(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.QuotaRequestWithdrawDocument,
    "\n  query Revisions($first: Int!, $after: String, $catalogueOnly: Boolean) {\n    revisions(first: $first, after: $after, catalogueOnly: $catalogueOnly) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        number cause publishedAt catalogueRevision size tenantCount changeCount\n        changes { changeId at actor action entity entityId entityName entityKey tenantKey reason }\n      }\n    }\n  }\n": typeof types.RevisionsDocument,
    "\n  query RevisionDiff($from: Int!, $to: Int!) {\n    revisionDiff(from: $from, to: $to) {\n      from to\n      tiers { key kind fromVersion toVersion fromWeight toWeight limits { name kind from to } }\n      apis {\n        key kind fromUnknownOperations toUnknownOperations\n        operations { name kind from to }\n        pools { name kind from to }\n      }\n    }\n  }\n": typeof types.RevisionDiffDocument,
    "\n  mutation PolicyRollback($input: PolicyRollbackInput!) {\n    policyRollback(input: $input) {\n      changeId\n      rollback { toRevision tiers apis kept }\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": typeof types.PolicyRollbackDocument,
    "\n  query ServiceTokens {\n    serviceTokens { id name publicId lastFour scopes tenantKeys lastUsedAt replacedById createdAt expiresAt revokedAt }\n  }\n": typeof types.ServiceTokensDocument,
    "\n  mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {\n    serviceTokenCreate(input: $input) { token userErrors { code field message } }\n  }\n": typeof types.ServiceTokenCreateDocument,
    "\n  mutation ServiceTokenRotate($input: ServiceTokenRotateInput!) {\n    serviceTokenRotate(input: $input) { token userErrors { code field message } }\n  }\n": typeof types.ServiceTokenRotateDocument,
    "\n  mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {\n    serviceTokenRevoke(input: $input) { serviceToken { id revokedAt } userErrors { code field message } }\n  }\n": typeof types.ServiceTokenRevokeDocument,
    "\n  query TenantDetail($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone billingAnchorDay version createdAt tags managedBy\n      subscription { pinned since tier { id key name } tierVersion { id number } }\n      effectiveLimits {\n        source tierLimit clamped\n        provenance { source adjustmentId label from to until }\n        live { used remaining resetAt }\n        limit { ...LimitFields }\n      }\n    }\n  }\n": typeof types.TenantDetailDocument,
    "\n  mutation TenantCreate($input: TenantCreateInput!) {\n    tenantCreate(input: $input) { changeId tenant { id key } userErrors { code field message } }\n  }\n": typeof types.TenantCreateDocument,
    "\n  mutation TenantUpdate($input: TenantUpdateInput!) {\n    tenantUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.TenantUpdateDocument,
    "\n  mutation TenantTierChange($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.TenantTierChangeDocument,
    "\n  mutation TenantSuspend($input: TenantStatusInput!) {\n    tenantSuspend(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.TenantSuspendDocument,
    "\n  mutation TenantResume($input: TenantStatusInput!) {\n    tenantResume(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.TenantResumeDocument,
    "\n  mutation TenantArchive($input: TenantStatusInput!) {\n    tenantArchive(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.TenantArchiveDocument,
    "\n  mutation TenantTierTrial($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) {\n      warnings { apiKey name message }\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": typeof types.TenantTierTrialDocument,
    "\n  query TierChoices {\n    tiers(first: 100) { nodes { id key name rank published { id number } } }\n  }\n": typeof types.TierChoicesDocument,
    "\n  query TenantBoard(\n    $first: Int!, $after: String, $orderBy: UtilizationOrder!, $descending: Boolean!\n    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean\n  ) {\n    tenantUtilization(\n      first: $first, after: $after, orderBy: $orderBy, descending: $descending\n      search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied\n    ) {\n      pageInfo { endCursor hasNextPage }\n      nodes {\n        percent requests denied exhaustsAt requestsByHour deniedByHour\n        tenant { id key name status subscription { pinned tier { id key name } tierVersion { id number } } }\n        tightest { ...BoardLimit }\n        exhausting { ...BoardLimit }\n      }\n    }\n  }\n  fragment BoardLimit on LimitUtilization {\n    apiKey limitName limit windowMs period per used capacity percent denied peakAt limitedSince resetsAt exhaustsAt\n  }\n": typeof types.TenantBoardDocument,
    "\n  query LimitUtilization($tenantKey: String!) {\n    limitUtilization(tenantKey: $tenantKey) { ...BoardLimit }\n  }\n": typeof types.LimitUtilizationDocument,
    "\n  query TenantBoardCount(\n    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean\n  ) {\n    tenantUtilization(\n      first: 1, search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied\n    ) { totalCount }\n  }\n": typeof types.TenantBoardCountDocument,
    "\n  query SavedViews { savedViews(list: \"tenants\") { id name search } }\n": typeof types.SavedViewsDocument,
    "\n  mutation SavedViewSet($input: SavedViewSetInput!) {\n    savedViewSet(input: $input) { views { id } userErrors { code field message } }\n  }\n": typeof types.SavedViewSetDocument,
    "\n  mutation SavedViewRemove($input: SavedViewRemoveInput!) {\n    savedViewRemove(input: $input) { views { id } userErrors { code field message } }\n  }\n": typeof types.SavedViewRemoveDocument,
    "\n  query TenantVersion($key: String!) { tenant(key: $key) { id version } }\n": typeof types.TenantVersionDocument,
    "\n  mutation LimitBoost($input: BoostStartInput!) {\n    boostStart(input: $input) {\n      changeId warnings\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": typeof types.LimitBoostDocument,
    "\n  query LimitPeaks($tenantKey: String!, $apiKey: String!, $limitName: String!) {\n    limitPeaks(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) { at used capacity denied }\n  }\n": typeof types.LimitPeaksDocument,
    "\n  query TestRequestTenants($search: String) {\n    tenants(first: 20, search: $search) { nodes { id key name } }\n  }\n": typeof types.TestRequestTenantsDocument,
    "\n  query TestRequestApis {\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n": typeof types.TestRequestApisDocument,
    "\n  query TestRequestLimits($tenantKey: String!) {\n    tenant(key: $tenantKey) { id effectiveLimits { limit { ...LimitFields } } }\n  }\n": typeof types.TestRequestLimitsDocument,
    "\n  query TestRequestKeys($tenantKey: String!) {\n    apiKeys(tenantKey: $tenantKey, first: 50) { nodes { id name publicId scopes revokedAt } }\n  }\n": typeof types.TestRequestKeysDocument,
    "\n  mutation TestRequestSend($input: TestRequestSendInput!) {\n    testRequestSend(input: $input) {\n      results {\n        status success reason limitName limit remaining resetAt retryAfter delayMs degraded revision requestId\n        headers { name value }\n        policies { limitName limit remaining resetAt mode success }\n      }\n      userErrors { code field message }\n    }\n  }\n": typeof types.TestRequestSendDocument,
    "\n  query Tiers($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id key name description rank version tenantCount managedBy archivedAt\n        draft { id number }\n        published {\n          id number publishedAt\n          limits { ...LimitFields }\n        }\n      }\n    }\n  }\n": typeof types.TiersDocument,
    "\n  query TierDetail($key: String!) {\n    tier(key: $key) {\n      id key name description rank weight tags signUp version tenantCount managedBy archivedAt\n      published { ...TierVersionFields }\n      draft { ...TierVersionFields }\n      versions { ...TierVersionFields }\n    }\n    apis(first: 100) { nodes { id key name version operations { id name } pools { id name } } }\n  }\n\n  fragment TierVersionFields on TierVersion {\n    id number status publishedAt publishedBy note audience automatic carryOver tenantCount\n    cohort { percent tags tenantKeys }\n    limits { ...LimitFields }\n  }\n": typeof types.TierDetailDocument,
    "\n  mutation TierCreate($input: TierCreateInput!) {\n    tierCreate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n": typeof types.TierCreateDocument,
    "\n  mutation TierUpdate($input: TierUpdateInput!) {\n    tierUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.TierUpdateDocument,
    "\n  mutation TierDuplicate($input: TierDuplicateInput!) {\n    tierDuplicate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n": typeof types.TierDuplicateDocument,
    "\n  mutation TierArchive($input: TierLifecycleInput!) {\n    tierArchive(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": typeof types.TierArchiveDocument,
    "\n  mutation TierRestore($input: TierLifecycleInput!) {\n    tierRestore(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": typeof types.TierRestoreDocument,
    "\n  mutation TierDelete($input: TierLifecycleInput!) {\n    tierDelete(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": typeof types.TierDeleteDocument,
    "\n  mutation TierMigrate($input: TierMigrateInput!) {\n    tierMigrate(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.TierMigrateDocument,
    "\n  mutation TierCohortExtend($input: TierCohortExtendInput!) {\n    tierCohortExtend(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }\n  }\n": typeof types.TierCohortExtendDocument,
    "\n  mutation TierDraftSave($input: TierDraftSaveInput!) {\n    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": typeof types.TierDraftSaveDocument,
    "\n  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {\n    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": typeof types.TierDraftDiscardDocument,
    "\n  mutation TierPublish($input: TierPublishInput!) {\n    tierPublish(input: $input) {\n      changeId\n      impact { ...ImpactFields }\n      warnings { code severity message advice path }\n      tier { id version published { id number } }\n      userErrors { code field message }\n    }\n  }\n": typeof types.TierPublishDocument,
    "\n  query TierLint($tierKey: String!, $version: Int) {\n    tierLint(tierKey: $tierKey, version: $version) { severity code message advice path }\n  }\n": typeof types.TierLintDocument,
    "\n  query TierCompare($a: TierVersionRef!, $b: TierVersionRef!) {\n    tierCompare(a: $a, b: $b) {\n      increased decreased\n      limits {\n        apiKey name kind increased decreased\n        before { ...LimitFields }\n        after { ...LimitFields }\n      }\n    }\n  }\n": typeof types.TierCompareDocument,
    "\n  query ApisForMatrix {\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n": typeof types.ApisForMatrixDocument,
    "\n  mutation LimitPoolCreate($input: PoolCreateInput!) {\n    poolCreate(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.LimitPoolCreateDocument,
    "\n  mutation ApiDefaultLimitsSet($input: ApiDefaultLimitsSetInput!) {\n    apiDefaultLimitsSet(input: $input) {\n      changeId impact { ...ImpactFields } userErrors { code field message }\n    }\n  }\n": typeof types.ApiDefaultLimitsSetDocument,
    "\n  query UsageOverTime(\n    $tenantKey: String!, $from: DateTime!, $to: DateTime, $interval: UsageInterval!, $groupBy: [UsageGroup!]\n    $apiKey: String, $operation: String, $limitName: String\n  ) {\n    usage(\n      tenantKey: $tenantKey, from: $from, to: $to, interval: $interval, groupBy: $groupBy\n      apiKey: $apiKey, operation: $operation, limitName: $limitName\n    ) {\n      tenantKey interval timeZone from to keptSince omittedSeries\n      total { count denied degraded units }\n      series {\n        apiKey operation limitName outcome\n        total { count denied degraded units }\n        points { at count denied degraded units }\n      }\n    }\n  }\n": typeof types.UsageOverTimeDocument,
    "\n  query Traffic($from: DateTime!, $to: DateTime) {\n    traffic(from: $from, to: $to) {\n      from to stepMs p50Ms p99Ms\n      total { count denied degraded units }\n      points { at count denied degraded units p50Ms p99Ms }\n      previousTotal { count denied degraded units }\n      previousPoints { at count denied degraded units }\n      publications { tierKey tierName number at }\n    }\n  }\n": typeof types.TrafficDocument,
    "\n  query TrafficLeader($from: DateTime!, $to: DateTime) {\n    usageTop(from: $from, to: $to, orderBy: DENIED, first: 1) { tenantKey tenantName denied }\n  }\n": typeof types.TrafficLeaderDocument,
    "\n  query UsageSummary($tenantKey: String!) {\n    usageSummary(tenantKey: $tenantKey) {\n      periodStart periodEnd\n      total { count denied }\n      peakDay { at count }\n      peakMinute { at count }\n    }\n  }\n": typeof types.UsageSummaryDocument,
    "\n  query LimitCrossings($tenantKey: String!, $first: Int!) {\n    limitCrossings(tenantKey: $tenantKey, first: $first) {\n      totalCount\n      nodes { id apiKey limitName counter percent used capacity at }\n    }\n  }\n": typeof types.LimitCrossingsDocument,
    "\n  query WebhookEndpoints($tenantKey: String) {\n    webhookEndpoints(tenantKey: $tenantKey) {\n      id tenantKey url description events status disabledReason previousUntil version createdAt\n    }\n  }\n": typeof types.WebhookEndpointsDocument,
    "\n  mutation WebhookEndpointCreate($input: WebhookEndpointCreateInput!) {\n    webhookEndpointCreate(input: $input) { secret userErrors { code field message } }\n  }\n": typeof types.WebhookEndpointCreateDocument,
    "\n  mutation WebhookEndpointUpdate($input: WebhookEndpointUpdateInput!) {\n    webhookEndpointUpdate(input: $input) { endpoint { version } userErrors { code field message } }\n  }\n": typeof types.WebhookEndpointUpdateDocument,
    "\n  mutation WebhookEndpointEnable($input: WebhookEndpointTargetInput!) {\n    webhookEndpointEnable(input: $input) { userErrors { code field message } }\n  }\n": typeof types.WebhookEndpointEnableDocument,
    "\n  mutation WebhookEndpointDisable($input: WebhookEndpointTargetInput!) {\n    webhookEndpointDisable(input: $input) { userErrors { code field message } }\n  }\n": typeof types.WebhookEndpointDisableDocument,
    "\n  mutation WebhookEndpointDelete($input: WebhookEndpointTargetInput!) {\n    webhookEndpointDelete(input: $input) { userErrors { code field message } }\n  }\n": typeof types.WebhookEndpointDeleteDocument,
    "\n  mutation WebhookEndpointTest($input: WebhookEndpointTargetInput!) {\n    webhookEndpointTest(input: $input) { userErrors { code field message } }\n  }\n": typeof types.WebhookEndpointTestDocument,
    "\n  mutation WebhookEndpointSecretRotate($input: WebhookEndpointRotateInput!) {\n    webhookEndpointSecretRotate(input: $input) { secret userErrors { code field message } }\n  }\n": typeof types.WebhookEndpointSecretRotateDocument,
    "\n  query WebhookDeliveries($endpointId: ID!, $first: Int!, $after: String) {\n    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id event body status nextAttemptAt createdAt\n        log { number at durationMs statusCode error }\n      }\n    }\n  }\n": typeof types.WebhookDeliveriesDocument,
    "\n  mutation WebhookDeliveryRetry($input: WebhookDeliveryRetryInput!) {\n    webhookDeliveryRetry(input: $input) { userErrors { code field message } }\n  }\n": typeof types.WebhookDeliveryRetryDocument,
    "\n  fragment ImpactFields on Impact {\n    tenants increased decreased\n    sample { tenantKey tenantName increased decreased }\n    overruns { tenantKey tenantName apiKey limitName limit peak excess units days at }\n  }\n": typeof types.ImpactFieldsFragmentDoc,
    "\n  query ChangeReversal($changeId: ID!) {\n    changeReversal(changeId: $changeId) { changeId actor at actions revertible obstacle }\n  }\n": typeof types.ChangeReversalDocument,
    "\n  mutation ChangeRevert($input: ChangeRevertInput!) {\n    changeRevert(input: $input) {\n      changeId\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": typeof types.ChangeRevertDocument,
    "\n  fragment LimitFields on Limit {\n    id name apiKey operations per onMissing onUnavailable deadlineMs charge attemptTimeoutMs inHeaders summary origin\n    algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period\n    throttle { mode percent maxPercent pool maxDelayMs }\n    enforcement { mode percent }\n    consistency { mode leaseMs }\n    candidate { algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period }\n  }\n": typeof types.LimitFieldsFragmentDoc,
    "\n  query LimitHistory($tenantKey: String!) {\n    limitHistory(tenantKey: $tenantKey) {\n      apiKey limitName measure windowMs days { at used denied } steps { at limit lasting }\n    }\n  }\n": typeof types.LimitHistoryDocument,
    "\n  query ScopeApis($first: Int!, $after: String) {\n    apis(first: $first, after: $after) {\n      totalCount nodes { key name defaultLimits { name } } pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.ScopeApisDocument,
    "\n  query ScopeTiers($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      nodes { key name rank archivedAt published { limits { name apiKey } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.ScopeTiersDocument,
    "\n  query PermissionRoles {\n    permissionRoles { permission operatorRoles }\n  }\n": typeof types.PermissionRolesDocument,
    "\n  query Viewer {\n    viewer { id name email role permissions memberships { tenantKey tenantName role permissions } }\n    permissionRoles { permission operatorRoles }\n  }\n": typeof types.ViewerDocument,
    "\n  query Grantable($tenantKey: String) {\n    grantable(tenantKey: $tenantKey) { memberRoles operatorRoles scopes }\n  }\n": typeof types.GrantableDocument,
};
const documents: Documents = {
    "\n  query PaletteSearch($text: String!, $status: TenantStatus) {\n    tenants(first: 6, search: $text, status: $status) { nodes { key name } }\n    apis(first: 5, search: $text) { nodes { key name } }\n    tiers(first: 50) { nodes { key name draft { id } } }\n  }\n": types.PaletteSearchDocument,
    "\n  query PaletteNode($id: ID!) {\n    node(id: $id) {\n      __typename\n      id\n      ... on Api { apiKeyName: key }\n      ... on Tier { tierKey: key }\n      ... on Tenant { tenantKey: key }\n      ... on Offer { offerKey: key }\n      ... on AuditEntry { entityId }\n    }\n  }\n": types.PaletteNodeDocument,
    "\n  query AccountSecurity {\n    accountSecurity {\n      twoFactorEnabled recoveryCodesLeft\n      passkeys { id name createdAt backedUp }\n      sessions { id userAgent ipAddress createdAt lastUsedAt isCurrent }\n    }\n  }\n": types.AccountSecurityDocument,
    "\n  mutation SessionRevoke($input: SessionRevokeInput!) {\n    sessionRevoke(input: $input) { revoked userErrors { code field message } }\n  }\n": types.SessionRevokeDocument,
    "\n  mutation SessionRevokeOthers($input: SessionRevokeOthersInput!) {\n    sessionRevokeOthers(input: $input) { revoked userErrors { code field message } }\n  }\n": types.SessionRevokeOthersDocument,
    "\n  mutation PasswordResetRequest($input: PasswordResetRequestInput!) {\n    passwordResetRequest(input: $input) { userErrors { code field message } }\n  }\n": types.PasswordResetRequestDocument,
    "\n  query TenantAdjustments($tenantKey: String!) {\n    overrides(tenantKey: $tenantKey, first: 50) {\n      totalCount\n      nodes {\n        id kind status apiKey limit appliesTo reason startsAt endsAt createdAt createdBy removedAt\n        effect { kind units percent limit }\n      }\n    }\n    entitlements(tenantKey: $tenantKey, first: 50) {\n      totalCount\n      nodes {\n        id source cause label purchaseId apiKey limit appliesTo startsAt endsAt inForce createdAt actor\n        effect { kind units percent limit }\n      }\n    }\n  }\n": types.TenantAdjustmentsDocument,
    "\n  mutation OverrideRemove($input: OverrideRemoveInput!) {\n    overrideRemove(input: $input) { changeId userErrors { code field message } }\n  }\n": types.OverrideRemoveDocument,
    "\n  mutation BoostEnd($input: BoostEndInput!) {\n    boostEnd(input: $input) { changeId userErrors { code field message } }\n  }\n": types.BoostEndDocument,
    "\n  mutation EntitlementRevoke($input: EntitlementRevokeInput!) {\n    entitlementRevoke(input: $input) { changeId userErrors { code field message } }\n  }\n": types.EntitlementRevokeDocument,
    "\n  mutation OverrideSet($input: OverrideSetInput!) {\n    overrideSet(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n": types.OverrideSetDocument,
    "\n  mutation BoostStart($input: BoostStartInput!) {\n    boostStart(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n": types.BoostStartDocument,
    "\n  mutation EntitlementGrant($input: EntitlementGrantInput!) {\n    entitlementGrant(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n": types.EntitlementGrantDocument,
    "\n  query AlertThresholds($tenantKey: String!) {\n    alertThresholds(tenantKey: $tenantKey) { id apiKey limitName percents }\n  }\n": types.AlertThresholdsDocument,
    "\n  mutation AlertThresholdSet($input: AlertThresholdSetInput!) {\n    alertThresholdSet(input: $input) { changeId userErrors { code field message } }\n  }\n": types.AlertThresholdSetDocument,
    "\n  mutation AlertThresholdRemove($input: AlertThresholdRemoveInput!) {\n    alertThresholdRemove(input: $input) { changeId userErrors { code field message } }\n  }\n": types.AlertThresholdRemoveDocument,
    "\n  query ApiKeys($tenantKey: String!, $first: Int!, $after: String) {\n    apiKeys(tenantKey: $tenantKey, first: $first, after: $after) {\n      totalCount\n      nodes {\n        id name mode publicId scopes createdAt createdBy expiresAt lastUsedAt revokedAt\n        secrets { lastFour endsAt }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.ApiKeysDocument,
    "\n  mutation ApiKeyCreate($input: ApiKeyCreateInput!) {\n    apiKeyCreate(input: $input) { key userErrors { code field message } }\n  }\n": types.ApiKeyCreateDocument,
    "\n  mutation ApiKeyRotate($input: ApiKeyRotateInput!) {\n    apiKeyRotate(input: $input) { key userErrors { code field message } }\n  }\n": types.ApiKeyRotateDocument,
    "\n  mutation ApiKeyRevoke($input: ApiKeyRevokeInput!) {\n    apiKeyRevoke(input: $input) { userErrors { code field message } }\n  }\n": types.ApiKeyRevokeDocument,
    "\n  query Apis {\n    apis(first: 100) {\n      totalCount\n      nodes { id key name description unknownOperations operations { id name cost } }\n    }\n  }\n": types.ApisDocument,
    "\n  query Api($key: String!) {\n    api(key: $key) {\n      id key name description unknownOperations headerStyles tags managedBy version createdAt\n      operations { id name description cost priority }\n      pools { id name operations capacity reclaimPercent }\n      defaultLimits { ...LimitFields }\n    }\n  }\n": types.ApiDocument,
    "\n  query TiersOfApi($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id key name rank published { id limits { ...LimitFields } } }\n    }\n  }\n": types.TiersOfApiDocument,
    "\n  query PoolsLive($key: String!) {\n    api(key: $key) {\n      id\n      pools { id live { capacity admitted borrowed spare borrowers nodes } }\n    }\n  }\n": types.PoolsLiveDocument,
    "\n  query DiscoveredOperations($apiKey: String) {\n    discoveredOperations(apiKey: $apiKey) { apiKey apiKnown operation known count tenants lastHour }\n  }\n": types.DiscoveredOperationsDocument,
    "\n  mutation ApiCreate($input: ApiCreateInput!) {\n    apiCreate(input: $input) { api { id key } userErrors { code field message } }\n  }\n": types.ApiCreateDocument,
    "\n  mutation ApiUpdate($input: ApiUpdateInput!) {\n    apiUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.ApiUpdateDocument,
    "\n  mutation ApiDelete($input: ApiDeleteInput!) {\n    apiDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.ApiDeleteDocument,
    "\n  mutation OperationCreate($input: OperationCreateInput!) {\n    operationCreate(input: $input) { impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.OperationCreateDocument,
    "\n  mutation OperationUpdate($input: OperationUpdateInput!) {\n    operationUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.OperationUpdateDocument,
    "\n  mutation OperationDelete($input: OperationDeleteInput!) {\n    operationDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.OperationDeleteDocument,
    "\n  mutation PoolCreate($input: PoolCreateInput!) {\n    poolCreate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.PoolCreateDocument,
    "\n  mutation PoolUpdate($input: PoolUpdateInput!) {\n    poolUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.PoolUpdateDocument,
    "\n  mutation PoolDelete($input: PoolDeleteInput!) {\n    poolDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.PoolDeleteDocument,
    "\n  query AuditEntries(\n    $first: Int!, $after: String, $tenant: String, $actor: String, $action: String, $entityId: String,\n    $changeId: String, $from: DateTime, $to: DateTime\n  ) {\n    auditEntries(\n      first: $first, after: $after, tenant: $tenant, actor: $actor, action: $action, entityId: $entityId,\n      changeId: $changeId, from: $from, to: $to\n    ) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id at actor actorKind action entity entityId entityName entityKey revertedName tenantKey before after reason requestId changeId address userAgent\n        chain sequence hash\n      }\n    }\n  }\n": types.AuditEntriesDocument,
    "\n  query AuditVerify($tenantKey: String) {\n    auditVerify(tenantKey: $tenantKey) {\n      ok chains entries unsignedChains brokenChains\n      breaks { chain sequence problem }\n    }\n  }\n": types.AuditVerifyDocument,
    "\n  query BulkActions {\n    bulkActions(first: 5) {\n      nodes {\n        id kind status input reason startedBy createdAt finishedAt revertedById stoppedBecause\n        progress { total pending done failed canceled }\n      }\n    }\n  }\n": types.BulkActionsDocument,
    "\n  query BulkFailures($id: ID!) {\n    bulkAction(id: $id) { id items(first: 100, status: FAILED) { nodes { tenantKey error } } }\n  }\n": types.BulkFailuresDocument,
    "\n  mutation BulkActionStart($input: BulkActionStartInput!) {\n    bulkActionStart(input: $input) {\n      tenants tried refusals { tenantKey message }\n      impact { tenants increased decreased }\n      bulkAction { id }\n      userErrors { code field message }\n    }\n  }\n": types.BulkActionStartDocument,
    "\n  mutation BulkActionCancel($input: BulkActionInput!) {\n    bulkActionCancel(input: $input) { userErrors { code field message } }\n  }\n": types.BulkActionCancelDocument,
    "\n  mutation BulkActionUndo($input: BulkActionInput!) {\n    bulkActionUndo(input: $input) { userErrors { code field message } }\n  }\n": types.BulkActionUndoDocument,
    "\n  query ChangeSets($after: String) {\n    changeSets(first: 25, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id title status version author createdAt scheduledAt items { id } }\n    }\n  }\n": types.ChangeSetsDocument,
    "\n  query ChangeSet($id: ID!) {\n    changeSet(id: $id) {\n      id title description status version author createdAt reviewedBy reviewedAt note\n      scheduledAt appliedAt appliedBy changeId revertsId\n      items { id command input }\n      diff {\n        stale\n        entries { item action entity entityId tenantKey fields { path before after } }\n        errors { code field message }\n        impact { ...ImpactFields }\n      }\n    }\n  }\n": types.ChangeSetDocument,
    "\n  fragment ChangeSetOutcome on ChangeSetPayload {\n    changeId\n    changeSet { id title version status }\n    userErrors { code field message }\n  }\n": types.ChangeSetOutcomeFragmentDoc,
    "\n  mutation ChangeSetSubmit($input: ChangeSetInput!) {\n    changeSetSubmit(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetSubmitDocument,
    "\n  mutation ChangeSetApprove($input: ChangeSetReviewInput!) {\n    changeSetApprove(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetApproveDocument,
    "\n  mutation ChangeSetReject($input: ChangeSetReviewInput!) {\n    changeSetReject(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetRejectDocument,
    "\n  mutation ChangeSetApply($input: ChangeSetInput!) {\n    changeSetApply(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetApplyDocument,
    "\n  mutation ChangeSetCancel($input: ChangeSetInput!) {\n    changeSetCancel(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetCancelDocument,
    "\n  mutation ChangeSetRevert($input: ChangeSetInput!) {\n    changeSetRevert(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetRevertDocument,
    "\n  mutation ChangeSetSchedule($input: ChangeSetScheduleInput!) {\n    changeSetSchedule(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetScheduleDocument,
    "\n  mutation ChangeSetRemoveItem($input: ChangeSetRemoveItemInput!) {\n    changeSetRemoveItem(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetRemoveItemDocument,
    "\n  mutation ChangeSetCreate($input: ChangeSetCreateInput!) {\n    changeSetCreate(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetCreateDocument,
    "\n  mutation ChangeSetAddItem($input: ChangeSetAddItemInput!) {\n    changeSetAddItem(input: $input) { ...ChangeSetOutcome }\n  }\n": types.ChangeSetAddItemDocument,
    "\n  query Why($text: String!, $publicId: String!) {\n    decision(requestId: $text) {\n      id tenantKey requestId at nodeId apiKey operation cost outcome reason limitName retryAfter delayMs revision\n      subject { dimension pseudonym }\n      policies { limitName limit remaining resetAt mode success }\n    }\n    tenantOfApiKey(publicId: $publicId) { id key }\n    tenant(key: $text) { id key }\n  }\n": types.WhyDocument,
    "\n  query RecentDenials($tenantKey: String!) {\n    decisions(tenantKey: $tenantKey, outcome: DENIED, first: 20) {\n      nodes { id requestId at apiKey operation limitName reason }\n    }\n  }\n": types.RecentDenialsDocument,
    "\n  fragment LadderFields on LimitLadder {\n    revision publishedAt tierKey tierName tierVersion\n    limit {\n      source tierLimit\n      provenance { source adjustmentId label from to until }\n      limit { ...LimitFields }\n    }\n    sources { adjustmentId actor reason purchaseId changeId }\n    tierChange { changeId actor action reason changeSetId changeSetTitle }\n    introduced {\n      revision at isScheduled\n      changes { changeId actor action reason changeSetId changeSetTitle }\n    }\n  }\n": types.LadderFieldsFragmentDoc,
    "\n  query Ladder($tenantKey: String!, $apiKey: String!, $limitName: String!, $revision: Int!, $at: DateTime!) {\n    past: limitLadder(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName, revision: $revision, at: $at) {\n      ...LadderFields\n    }\n    today: limitLadder(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) { ...LadderFields }\n  }\n": types.LadderDocument,
    "\n  query InstallationSettings {\n    installationSettings {\n      productName accent logo companyName address taxId registration contact invoiceNote\n      taxLabel taxBasisPoints embedOrigins version\n    }\n  }\n": types.InstallationSettingsDocument,
    "\n  mutation UsageWidgetTokenCreate($input: UsageWidgetTokenCreateInput!) {\n    usageWidgetTokenCreate(input: $input) { url userErrors { code field message } }\n  }\n": types.UsageWidgetTokenCreateDocument,
    "\n  mutation InstallationUpdate($input: InstallationUpdateInput!) {\n    installationUpdate(input: $input) {\n      installation { version }\n      userErrors { code field message }\n    }\n  }\n": types.InstallationUpdateDocument,
    "\n  query Jobs($state: JobState) {\n    jobQueues { name paused counts { state count } }\n    jobs(state: $state) { id queue name state attempts maxAttempts error stack data everyMs at }\n  }\n": types.JobsDocument,
    "\n  mutation JobRetry($input: JobTargetInput!) {\n    jobRetry(input: $input) { job { state } userErrors { code field message } }\n  }\n": types.JobRetryDocument,
    "\n  mutation JobRemove($input: JobTargetInput!) {\n    jobRemove(input: $input) { job { state } userErrors { code field message } }\n  }\n": types.JobRemoveDocument,
    "\n  mutation JobQueuePause($input: JobQueueTargetInput!) {\n    jobQueuePause(input: $input) { queue { paused } userErrors { code field message } }\n  }\n": types.JobQueuePauseDocument,
    "\n  mutation JobQueueResume($input: JobQueueTargetInput!) {\n    jobQueueResume(input: $input) { queue { paused } userErrors { code field message } }\n  }\n": types.JobQueueResumeDocument,
    "\n  query Invitation($token: String!) {\n    invitation(token: $token) { email to role hasAccount expiresAt }\n  }\n": types.InvitationDocument,
    "\n  mutation InvitationAccept($input: InvitationAcceptInput!) {\n    invitationAccept(input: $input) { email tenantKey userErrors { code field message } }\n  }\n": types.InvitationAcceptDocument,
    "\n  mutation TenantSignUp($input: TenantSignUpInput!) {\n    tenantSignUp(input: $input) { userErrors { code field message } }\n  }\n": types.TenantSignUpDocument,
    "\n  query SignUpOpen {\n    installation { signUp }\n  }\n": types.SignUpOpenDocument,
    "\n  query LiveExample {\n    tenants(first: 1, status: ACTIVE) { nodes { key } }\n    apis(first: 10) { nodes { key operations { name } } }\n  }\n": types.LiveExampleDocument,
    "\n  query TenantPeople($tenantKey: String!) {\n    tenant(key: $tenantKey) { name members { id name email role } }\n    invitations(tenantKey: $tenantKey, first: 100) { nodes { id email role invitedBy expiresAt createdAt } }\n  }\n": types.TenantPeopleDocument,
    "\n  mutation MemberInvite($input: MemberInviteInput!) {\n    memberInvite(input: $input) { userErrors { code field message } }\n  }\n": types.MemberInviteDocument,
    "\n  mutation MemberRoleChange($input: MemberRoleChangeInput!) {\n    memberRoleChange(input: $input) { userErrors { code field message } }\n  }\n": types.MemberRoleChangeDocument,
    "\n  mutation MemberRemove($input: MemberRemoveInput!) {\n    memberRemove(input: $input) { userErrors { code field message } }\n  }\n": types.MemberRemoveDocument,
    "\n  mutation InvitationResend($input: InvitationTargetInput!) {\n    invitationResend(input: $input) { userErrors { code field message } }\n  }\n": types.InvitationResendDocument,
    "\n  mutation InvitationRevoke($input: InvitationTargetInput!) {\n    invitationRevoke(input: $input) { userErrors { code field message } }\n  }\n": types.InvitationRevokeDocument,
    "\n  query DecisionNodes($includeRetired: Boolean) {\n    decisionNodes(includeRetired: $includeRetired) {\n      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale policyAgeMs policyStale retiredAt\n      nack { revision reason }\n    }\n    currentRevision { number publishedAt hash }\n  }\n": types.DecisionNodesDocument,
    "\n  mutation NodeRetire($input: NodeRetireInput!) {\n    nodeRetire(input: $input) { node { nodeId retiredAt } userErrors { code field message } }\n  }\n": types.NodeRetireDocument,
    "\n  query Propagation($changeId: ID!) {\n    propagation(changeId: $changeId) {\n      changeId state revision publishedAt liveNodes totalNodes slowestMs\n      nodes { nodeId live latencyMs nack { revision reason } }\n    }\n  }\n": types.PropagationDocument,
    "\n  query RecentChanges($first: Int!) {\n    revisions(first: $first) {\n      nodes { number changes { changeId at actor action entity entityId entityName entityKey tenantKey } }\n    }\n  }\n": types.RecentChangesDocument,
    "\n  query Notices($first: Int!, $after: String, $tenantKey: String) {\n    notices(first: $first, after: $after, tenantKey: $tenantKey) {\n      pageInfo { hasNextPage endCursor }\n      nodes { id kind severity title data tenantKey createdAt }\n    }\n  }\n": types.NoticesDocument,
    "\n  query NoticesUnread($tenantKey: String) { noticesUnread(tenantKey: $tenantKey) }\n": types.NoticesUnreadDocument,
    "\n  mutation NoticesMarkRead($input: NoticesMarkReadInput!) {\n    noticesMarkRead(input: $input) { unread userErrors { code field message } }\n  }\n": types.NoticesMarkReadDocument,
    "\n  fragment OfferFields on Offer {\n    id key name description kind status priceMinor currency interval validDays graceDays\n    effects { apiKey limitName appliesTo kind units percent }\n    tierKeys maxQuantity stock stockLeft carryOver version createdAt\n  }\n": types.OfferFieldsFragmentDoc,
    "\n  query Offers($first: Int!, $after: String, $status: OfferStatus) {\n    offers(first: $first, after: $after, status: $status) {\n      totalCount nodes { ...OfferFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.OffersDocument,
    "\n  query Offer($key: String!) {\n    offer(key: $key) { ...OfferFields }\n  }\n": types.OfferDocument,
    "\n  mutation OfferCreate($input: OfferCreateInput!) {\n    offerCreate(input: $input) { offer { key } userErrors { code field message } }\n  }\n": types.OfferCreateDocument,
    "\n  mutation OfferUpdate($input: OfferUpdateInput!) {\n    offerUpdate(input: $input) { offer { key } userErrors { code field message } }\n  }\n": types.OfferUpdateDocument,
    "\n  mutation OfferActivate($input: OfferChangeInput!) {\n    offerActivate(input: $input) { offer { key status } userErrors { code field message } }\n  }\n": types.OfferActivateDocument,
    "\n  mutation OfferArchive($input: OfferChangeInput!) {\n    offerArchive(input: $input) { offer { key status } userErrors { code field message } }\n  }\n": types.OfferArchiveDocument,
    "\n  query Operators {\n    operators { id email name role createdAt suspendedAt }\n    operatorInvitations(first: 50) { nodes { id email operatorRole invitedBy createdAt expiresAt } }\n  }\n": types.OperatorsDocument,
    "\n  mutation OperatorInvite($input: OperatorInviteInput!) {\n    operatorInvite(input: $input) { userErrors { code field message } }\n  }\n": types.OperatorInviteDocument,
    "\n  mutation OperatorRoleChange($input: OperatorRoleChangeInput!) {\n    operatorRoleChange(input: $input) { userErrors { code field message } }\n  }\n": types.OperatorRoleChangeDocument,
    "\n  mutation OperatorSuspend($input: OperatorStatusInput!) {\n    operatorSuspend(input: $input) { userErrors { code field message } }\n  }\n": types.OperatorSuspendDocument,
    "\n  mutation OperatorResume($input: OperatorStatusInput!) {\n    operatorResume(input: $input) { userErrors { code field message } }\n  }\n": types.OperatorResumeDocument,
    "\n  mutation OperatorRemove($input: OperatorStatusInput!) {\n    operatorRemove(input: $input) { userErrors { code field message } }\n  }\n": types.OperatorRemoveDocument,
    "\n  mutation OperatorInvitationResend($input: OperatorInvitationTargetInput!) {\n    operatorInvitationResend(input: $input) { userErrors { code field message } }\n  }\n": types.OperatorInvitationResendDocument,
    "\n  mutation OperatorInvitationRevoke($input: OperatorInvitationTargetInput!) {\n    operatorInvitationRevoke(input: $input) { userErrors { code field message } }\n  }\n": types.OperatorInvitationRevokeDocument,
    "\n  query DecisionUrl {\n    installation { decisionUrl }\n  }\n": types.DecisionUrlDocument,
    "\n  query PortalTenant($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone\n      subscription { tier { key name } }\n      effectiveLimits {\n        source tierLimit clamped\n        live { used remaining resetAt }\n        provenance { adjustmentId label source from to until }\n        limit { ...LimitFields }\n      }\n    }\n  }\n": types.PortalTenantDocument,
    "\n  query PortalUtilization($tenantKey: String!) {\n    limitUtilization(tenantKey: $tenantKey) {\n      apiKey limitName used capacity percent denied limitedSince resetsAt exhaustsAt\n    }\n  }\n": types.PortalUtilizationDocument,
    "\n  mutation OwnLimitSet($input: OwnLimitSetInput!) {\n    ownLimitSet(input: $input) { changeId userErrors { code field message } }\n  }\n": types.OwnLimitSetDocument,
    "\n  mutation OwnLimitRemove($input: OwnLimitRemoveInput!) {\n    ownLimitRemove(input: $input) { changeId userErrors { code field message } }\n  }\n": types.OwnLimitRemoveDocument,
    "\n  fragment PurchaseFields on Purchase {\n    id tenantKey label kind provider status quantity amountMinor currency interval\n    renews paidThrough graceEndsAt checkoutUrl createdAt\n    offer { key name }\n    effects { apiKey limitName appliesTo kind units percent }\n  }\n": types.PurchaseFieldsFragmentDoc,
    "\n  query Purchases($first: Int!, $after: String, $tenantKey: String, $status: PurchaseStatus) {\n    purchases(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...PurchaseFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.PurchasesDocument,
    "\n  query Purchase($id: ID!) {\n    purchase(id: $id) {\n      ...PurchaseFields\n      providerStop { attempts isExhausted lastError nextAttemptAt }\n      payments { ref at amountMinor currency status reviewReason refundedMinor disputedMinor }\n      events { id source type at payment amountMinor reason }\n      moneyEntries { id account amountMinor currency at }\n    }\n  }\n": types.PurchaseDocument,
    "\n  query PaymentProviders {\n    paymentProviders\n  }\n": types.PaymentProvidersDocument,
    "\n  query PurchasePreview($tenantKey: String!, $offerKey: String!, $quantity: Int!) {\n    purchasePreview(tenantKey: $tenantKey, offerKey: $offerKey, quantity: $quantity) {\n      limits { apiKey limitName before after }\n      noEffect amountMinor renewsAt\n    }\n  }\n": types.PurchasePreviewDocument,
    "\n  mutation PurchaseStart($input: PurchaseStartInput!) {\n    purchaseStart(input: $input) { purchase { id checkoutUrl } userErrors { code field message } }\n  }\n": types.PurchaseStartDocument,
    "\n  mutation PurchaseCancel($input: PurchaseCancelInput!) {\n    purchaseCancel(input: $input) { changeId userErrors { code field message } }\n  }\n": types.PurchaseCancelDocument,
    "\n  mutation PurchaseRefund($input: PurchaseRefundInput!) {\n    purchaseRefund(input: $input) { changeId userErrors { code field message } }\n  }\n": types.PurchaseRefundDocument,
    "\n  mutation PurchaseApprove($input: PaymentDecisionInput!) {\n    purchaseApprove(input: $input) { changeId userErrors { code field message } }\n  }\n": types.PurchaseApproveDocument,
    "\n  mutation PurchaseReject($input: PaymentDecisionInput!) {\n    purchaseReject(input: $input) { changeId userErrors { code field message } }\n  }\n": types.PurchaseRejectDocument,
    "\n  mutation PurchaseStopRetry($input: PurchaseCancelInput!) {\n    purchaseStopRetry(input: $input) { changeId userErrors { code field message } }\n  }\n": types.PurchaseStopRetryDocument,
    "\n  fragment InvoiceFields on Invoice {\n    id number period status amountMinor currency issuedAt dueAt closedAt reference\n    purchase { id tenantKey label }\n  }\n": types.InvoiceFieldsFragmentDoc,
    "\n  query Invoices($first: Int!, $after: String, $tenantKey: String, $status: InvoiceStatus) {\n    invoices(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...InvoiceFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.InvoicesDocument,
    "\n  mutation InvoiceMarkPaid($input: InvoiceMarkPaidInput!) {\n    invoiceMarkPaid(input: $input) { changeId userErrors { code field message } }\n  }\n": types.InvoiceMarkPaidDocument,
    "\n  mutation InvoiceVoid($input: InvoiceVoidInput!) {\n    invoiceVoid(input: $input) { changeId userErrors { code field message } }\n  }\n": types.InvoiceVoidDocument,
    "\n  query BillingDetails($tenantKey: String!) {\n    billingDetails(tenantKey: $tenantKey) { name address taxId email version }\n  }\n": types.BillingDetailsDocument,
    "\n  mutation BillingDetailsSet($input: BillingDetailsSetInput!) {\n    billingDetailsSet(input: $input) { billingDetails { version } userErrors { code field message } }\n  }\n": types.BillingDetailsSetDocument,
    "\n  query PaymentEventReviews($first: Int!, $after: String, $status: PaymentEventReviewStatus) {\n    paymentEventReviews(first: $first, after: $after, status: $status) {\n      totalCount\n      nodes { id provider eventId type apiVersion problem status attempts receivedAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.PaymentEventReviewsDocument,
    "\n  mutation PaymentEventRetry($input: PaymentEventRetryInput!) {\n    paymentEventRetry(input: $input) { userErrors { code field message } }\n  }\n": types.PaymentEventRetryDocument,
    "\n  mutation PaymentEventDismiss($input: PaymentEventDismissInput!) {\n    paymentEventDismiss(input: $input) { userErrors { code field message } }\n  }\n": types.PaymentEventDismissDocument,
    "\n  query BillingTime($tenantKey: String!) {\n    billingTime(tenantKey: $tenantKey) { now isTest }\n  }\n": types.BillingTimeDocument,
    "\n  mutation TestClockAdvance($input: TestClockAdvanceInput!) {\n    testClockAdvance(input: $input) { clock { now isTest } userErrors { code field message } }\n  }\n": types.TestClockAdvanceDocument,
    "\n  query Spending($tenantKey: String!) {\n    spending(tenantKey: $tenantKey) { currency capMinor paidMinor expectedMinor resetsAt }\n  }\n": types.SpendingDocument,
    "\n  mutation SpendCapSet($input: SpendCapSetInput!) {\n    spendCapSet(input: $input) { changeId userErrors { code field message } }\n  }\n": types.SpendCapSetDocument,
    "\n  mutation PaymentPortalLink($input: PaymentPortalLinkInput!) {\n    paymentPortalLink(input: $input) { url userErrors { code field message } }\n  }\n": types.PaymentPortalLinkDocument,
    "\n  query Revenue {\n    revenue {\n      currency monthlyMinor receivedMinor failedRenewals failedMinor\n      offers { offerKey offerName purchases monthlyMinor }\n      upgrades { tierKey tierName purchases }\n    }\n  }\n": types.RevenueDocument,
    "\n  fragment QuotaRequestFields on QuotaRequest {\n    id status apiKey limit current wanted why offered until answer requestedBy version createdAt\n    tenant { key name timeZone }\n  }\n": types.QuotaRequestFieldsFragmentDoc,
    "\n  query QuotaRequests($first: Int!, $after: String, $tenantKey: String, $status: QuotaRequestStatus) {\n    quotaRequests(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...QuotaRequestFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.QuotaRequestsDocument,
    "\n  mutation QuotaRequestApprove($input: QuotaRequestApproveInput!) {\n    quotaRequestApprove(input: $input) { changeId warnings userErrors { code field message } }\n  }\n": types.QuotaRequestApproveDocument,
    "\n  mutation QuotaRequestCounter($input: QuotaRequestCounterInput!) {\n    quotaRequestCounter(input: $input) { changeId warnings userErrors { code field message } }\n  }\n": types.QuotaRequestCounterDocument,
    "\n  mutation QuotaRequestDecline($input: QuotaRequestDeclineInput!) {\n    quotaRequestDecline(input: $input) { changeId warnings userErrors { code field message } }\n  }\n": types.QuotaRequestDeclineDocument,
    "\n  mutation QuotaRequestCreate($input: QuotaRequestCreateInput!) {\n    quotaRequestCreate(input: $input) { request { id } userErrors { code field message } }\n  }\n": types.QuotaRequestCreateDocument,
    "\n  mutation QuotaRequestAccept($input: QuotaRequestOwnInput!) {\n    quotaRequestAccept(input: $input) { changeId userErrors { code field message } }\n  }\n": types.QuotaRequestAcceptDocument,
    "\n  mutation QuotaRequestWithdraw($input: QuotaRequestOwnInput!) {\n    quotaRequestWithdraw(input: $input) { changeId userErrors { code field message } }\n  }\n": types.QuotaRequestWithdrawDocument,
    "\n  query Revisions($first: Int!, $after: String, $catalogueOnly: Boolean) {\n    revisions(first: $first, after: $after, catalogueOnly: $catalogueOnly) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        number cause publishedAt catalogueRevision size tenantCount changeCount\n        changes { changeId at actor action entity entityId entityName entityKey tenantKey reason }\n      }\n    }\n  }\n": types.RevisionsDocument,
    "\n  query RevisionDiff($from: Int!, $to: Int!) {\n    revisionDiff(from: $from, to: $to) {\n      from to\n      tiers { key kind fromVersion toVersion fromWeight toWeight limits { name kind from to } }\n      apis {\n        key kind fromUnknownOperations toUnknownOperations\n        operations { name kind from to }\n        pools { name kind from to }\n      }\n    }\n  }\n": types.RevisionDiffDocument,
    "\n  mutation PolicyRollback($input: PolicyRollbackInput!) {\n    policyRollback(input: $input) {\n      changeId\n      rollback { toRevision tiers apis kept }\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": types.PolicyRollbackDocument,
    "\n  query ServiceTokens {\n    serviceTokens { id name publicId lastFour scopes tenantKeys lastUsedAt replacedById createdAt expiresAt revokedAt }\n  }\n": types.ServiceTokensDocument,
    "\n  mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {\n    serviceTokenCreate(input: $input) { token userErrors { code field message } }\n  }\n": types.ServiceTokenCreateDocument,
    "\n  mutation ServiceTokenRotate($input: ServiceTokenRotateInput!) {\n    serviceTokenRotate(input: $input) { token userErrors { code field message } }\n  }\n": types.ServiceTokenRotateDocument,
    "\n  mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {\n    serviceTokenRevoke(input: $input) { serviceToken { id revokedAt } userErrors { code field message } }\n  }\n": types.ServiceTokenRevokeDocument,
    "\n  query TenantDetail($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone billingAnchorDay version createdAt tags managedBy\n      subscription { pinned since tier { id key name } tierVersion { id number } }\n      effectiveLimits {\n        source tierLimit clamped\n        provenance { source adjustmentId label from to until }\n        live { used remaining resetAt }\n        limit { ...LimitFields }\n      }\n    }\n  }\n": types.TenantDetailDocument,
    "\n  mutation TenantCreate($input: TenantCreateInput!) {\n    tenantCreate(input: $input) { changeId tenant { id key } userErrors { code field message } }\n  }\n": types.TenantCreateDocument,
    "\n  mutation TenantUpdate($input: TenantUpdateInput!) {\n    tenantUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.TenantUpdateDocument,
    "\n  mutation TenantTierChange($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) { changeId userErrors { code field message } }\n  }\n": types.TenantTierChangeDocument,
    "\n  mutation TenantSuspend($input: TenantStatusInput!) {\n    tenantSuspend(input: $input) { changeId userErrors { code field message } }\n  }\n": types.TenantSuspendDocument,
    "\n  mutation TenantResume($input: TenantStatusInput!) {\n    tenantResume(input: $input) { changeId userErrors { code field message } }\n  }\n": types.TenantResumeDocument,
    "\n  mutation TenantArchive($input: TenantStatusInput!) {\n    tenantArchive(input: $input) { changeId userErrors { code field message } }\n  }\n": types.TenantArchiveDocument,
    "\n  mutation TenantTierTrial($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) {\n      warnings { apiKey name message }\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": types.TenantTierTrialDocument,
    "\n  query TierChoices {\n    tiers(first: 100) { nodes { id key name rank published { id number } } }\n  }\n": types.TierChoicesDocument,
    "\n  query TenantBoard(\n    $first: Int!, $after: String, $orderBy: UtilizationOrder!, $descending: Boolean!\n    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean\n  ) {\n    tenantUtilization(\n      first: $first, after: $after, orderBy: $orderBy, descending: $descending\n      search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied\n    ) {\n      pageInfo { endCursor hasNextPage }\n      nodes {\n        percent requests denied exhaustsAt requestsByHour deniedByHour\n        tenant { id key name status subscription { pinned tier { id key name } tierVersion { id number } } }\n        tightest { ...BoardLimit }\n        exhausting { ...BoardLimit }\n      }\n    }\n  }\n  fragment BoardLimit on LimitUtilization {\n    apiKey limitName limit windowMs period per used capacity percent denied peakAt limitedSince resetsAt exhaustsAt\n  }\n": types.TenantBoardDocument,
    "\n  query LimitUtilization($tenantKey: String!) {\n    limitUtilization(tenantKey: $tenantKey) { ...BoardLimit }\n  }\n": types.LimitUtilizationDocument,
    "\n  query TenantBoardCount(\n    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean\n  ) {\n    tenantUtilization(\n      first: 1, search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied\n    ) { totalCount }\n  }\n": types.TenantBoardCountDocument,
    "\n  query SavedViews { savedViews(list: \"tenants\") { id name search } }\n": types.SavedViewsDocument,
    "\n  mutation SavedViewSet($input: SavedViewSetInput!) {\n    savedViewSet(input: $input) { views { id } userErrors { code field message } }\n  }\n": types.SavedViewSetDocument,
    "\n  mutation SavedViewRemove($input: SavedViewRemoveInput!) {\n    savedViewRemove(input: $input) { views { id } userErrors { code field message } }\n  }\n": types.SavedViewRemoveDocument,
    "\n  query TenantVersion($key: String!) { tenant(key: $key) { id version } }\n": types.TenantVersionDocument,
    "\n  mutation LimitBoost($input: BoostStartInput!) {\n    boostStart(input: $input) {\n      changeId warnings\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": types.LimitBoostDocument,
    "\n  query LimitPeaks($tenantKey: String!, $apiKey: String!, $limitName: String!) {\n    limitPeaks(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) { at used capacity denied }\n  }\n": types.LimitPeaksDocument,
    "\n  query TestRequestTenants($search: String) {\n    tenants(first: 20, search: $search) { nodes { id key name } }\n  }\n": types.TestRequestTenantsDocument,
    "\n  query TestRequestApis {\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n": types.TestRequestApisDocument,
    "\n  query TestRequestLimits($tenantKey: String!) {\n    tenant(key: $tenantKey) { id effectiveLimits { limit { ...LimitFields } } }\n  }\n": types.TestRequestLimitsDocument,
    "\n  query TestRequestKeys($tenantKey: String!) {\n    apiKeys(tenantKey: $tenantKey, first: 50) { nodes { id name publicId scopes revokedAt } }\n  }\n": types.TestRequestKeysDocument,
    "\n  mutation TestRequestSend($input: TestRequestSendInput!) {\n    testRequestSend(input: $input) {\n      results {\n        status success reason limitName limit remaining resetAt retryAfter delayMs degraded revision requestId\n        headers { name value }\n        policies { limitName limit remaining resetAt mode success }\n      }\n      userErrors { code field message }\n    }\n  }\n": types.TestRequestSendDocument,
    "\n  query Tiers($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id key name description rank version tenantCount managedBy archivedAt\n        draft { id number }\n        published {\n          id number publishedAt\n          limits { ...LimitFields }\n        }\n      }\n    }\n  }\n": types.TiersDocument,
    "\n  query TierDetail($key: String!) {\n    tier(key: $key) {\n      id key name description rank weight tags signUp version tenantCount managedBy archivedAt\n      published { ...TierVersionFields }\n      draft { ...TierVersionFields }\n      versions { ...TierVersionFields }\n    }\n    apis(first: 100) { nodes { id key name version operations { id name } pools { id name } } }\n  }\n\n  fragment TierVersionFields on TierVersion {\n    id number status publishedAt publishedBy note audience automatic carryOver tenantCount\n    cohort { percent tags tenantKeys }\n    limits { ...LimitFields }\n  }\n": types.TierDetailDocument,
    "\n  mutation TierCreate($input: TierCreateInput!) {\n    tierCreate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n": types.TierCreateDocument,
    "\n  mutation TierUpdate($input: TierUpdateInput!) {\n    tierUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.TierUpdateDocument,
    "\n  mutation TierDuplicate($input: TierDuplicateInput!) {\n    tierDuplicate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n": types.TierDuplicateDocument,
    "\n  mutation TierArchive($input: TierLifecycleInput!) {\n    tierArchive(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": types.TierArchiveDocument,
    "\n  mutation TierRestore($input: TierLifecycleInput!) {\n    tierRestore(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": types.TierRestoreDocument,
    "\n  mutation TierDelete($input: TierLifecycleInput!) {\n    tierDelete(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": types.TierDeleteDocument,
    "\n  mutation TierMigrate($input: TierMigrateInput!) {\n    tierMigrate(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.TierMigrateDocument,
    "\n  mutation TierCohortExtend($input: TierCohortExtendInput!) {\n    tierCohortExtend(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }\n  }\n": types.TierCohortExtendDocument,
    "\n  mutation TierDraftSave($input: TierDraftSaveInput!) {\n    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": types.TierDraftSaveDocument,
    "\n  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {\n    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": types.TierDraftDiscardDocument,
    "\n  mutation TierPublish($input: TierPublishInput!) {\n    tierPublish(input: $input) {\n      changeId\n      impact { ...ImpactFields }\n      warnings { code severity message advice path }\n      tier { id version published { id number } }\n      userErrors { code field message }\n    }\n  }\n": types.TierPublishDocument,
    "\n  query TierLint($tierKey: String!, $version: Int) {\n    tierLint(tierKey: $tierKey, version: $version) { severity code message advice path }\n  }\n": types.TierLintDocument,
    "\n  query TierCompare($a: TierVersionRef!, $b: TierVersionRef!) {\n    tierCompare(a: $a, b: $b) {\n      increased decreased\n      limits {\n        apiKey name kind increased decreased\n        before { ...LimitFields }\n        after { ...LimitFields }\n      }\n    }\n  }\n": types.TierCompareDocument,
    "\n  query ApisForMatrix {\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n": types.ApisForMatrixDocument,
    "\n  mutation LimitPoolCreate($input: PoolCreateInput!) {\n    poolCreate(input: $input) { changeId userErrors { code field message } }\n  }\n": types.LimitPoolCreateDocument,
    "\n  mutation ApiDefaultLimitsSet($input: ApiDefaultLimitsSetInput!) {\n    apiDefaultLimitsSet(input: $input) {\n      changeId impact { ...ImpactFields } userErrors { code field message }\n    }\n  }\n": types.ApiDefaultLimitsSetDocument,
    "\n  query UsageOverTime(\n    $tenantKey: String!, $from: DateTime!, $to: DateTime, $interval: UsageInterval!, $groupBy: [UsageGroup!]\n    $apiKey: String, $operation: String, $limitName: String\n  ) {\n    usage(\n      tenantKey: $tenantKey, from: $from, to: $to, interval: $interval, groupBy: $groupBy\n      apiKey: $apiKey, operation: $operation, limitName: $limitName\n    ) {\n      tenantKey interval timeZone from to keptSince omittedSeries\n      total { count denied degraded units }\n      series {\n        apiKey operation limitName outcome\n        total { count denied degraded units }\n        points { at count denied degraded units }\n      }\n    }\n  }\n": types.UsageOverTimeDocument,
    "\n  query Traffic($from: DateTime!, $to: DateTime) {\n    traffic(from: $from, to: $to) {\n      from to stepMs p50Ms p99Ms\n      total { count denied degraded units }\n      points { at count denied degraded units p50Ms p99Ms }\n      previousTotal { count denied degraded units }\n      previousPoints { at count denied degraded units }\n      publications { tierKey tierName number at }\n    }\n  }\n": types.TrafficDocument,
    "\n  query TrafficLeader($from: DateTime!, $to: DateTime) {\n    usageTop(from: $from, to: $to, orderBy: DENIED, first: 1) { tenantKey tenantName denied }\n  }\n": types.TrafficLeaderDocument,
    "\n  query UsageSummary($tenantKey: String!) {\n    usageSummary(tenantKey: $tenantKey) {\n      periodStart periodEnd\n      total { count denied }\n      peakDay { at count }\n      peakMinute { at count }\n    }\n  }\n": types.UsageSummaryDocument,
    "\n  query LimitCrossings($tenantKey: String!, $first: Int!) {\n    limitCrossings(tenantKey: $tenantKey, first: $first) {\n      totalCount\n      nodes { id apiKey limitName counter percent used capacity at }\n    }\n  }\n": types.LimitCrossingsDocument,
    "\n  query WebhookEndpoints($tenantKey: String) {\n    webhookEndpoints(tenantKey: $tenantKey) {\n      id tenantKey url description events status disabledReason previousUntil version createdAt\n    }\n  }\n": types.WebhookEndpointsDocument,
    "\n  mutation WebhookEndpointCreate($input: WebhookEndpointCreateInput!) {\n    webhookEndpointCreate(input: $input) { secret userErrors { code field message } }\n  }\n": types.WebhookEndpointCreateDocument,
    "\n  mutation WebhookEndpointUpdate($input: WebhookEndpointUpdateInput!) {\n    webhookEndpointUpdate(input: $input) { endpoint { version } userErrors { code field message } }\n  }\n": types.WebhookEndpointUpdateDocument,
    "\n  mutation WebhookEndpointEnable($input: WebhookEndpointTargetInput!) {\n    webhookEndpointEnable(input: $input) { userErrors { code field message } }\n  }\n": types.WebhookEndpointEnableDocument,
    "\n  mutation WebhookEndpointDisable($input: WebhookEndpointTargetInput!) {\n    webhookEndpointDisable(input: $input) { userErrors { code field message } }\n  }\n": types.WebhookEndpointDisableDocument,
    "\n  mutation WebhookEndpointDelete($input: WebhookEndpointTargetInput!) {\n    webhookEndpointDelete(input: $input) { userErrors { code field message } }\n  }\n": types.WebhookEndpointDeleteDocument,
    "\n  mutation WebhookEndpointTest($input: WebhookEndpointTargetInput!) {\n    webhookEndpointTest(input: $input) { userErrors { code field message } }\n  }\n": types.WebhookEndpointTestDocument,
    "\n  mutation WebhookEndpointSecretRotate($input: WebhookEndpointRotateInput!) {\n    webhookEndpointSecretRotate(input: $input) { secret userErrors { code field message } }\n  }\n": types.WebhookEndpointSecretRotateDocument,
    "\n  query WebhookDeliveries($endpointId: ID!, $first: Int!, $after: String) {\n    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id event body status nextAttemptAt createdAt\n        log { number at durationMs statusCode error }\n      }\n    }\n  }\n": types.WebhookDeliveriesDocument,
    "\n  mutation WebhookDeliveryRetry($input: WebhookDeliveryRetryInput!) {\n    webhookDeliveryRetry(input: $input) { userErrors { code field message } }\n  }\n": types.WebhookDeliveryRetryDocument,
    "\n  fragment ImpactFields on Impact {\n    tenants increased decreased\n    sample { tenantKey tenantName increased decreased }\n    overruns { tenantKey tenantName apiKey limitName limit peak excess units days at }\n  }\n": types.ImpactFieldsFragmentDoc,
    "\n  query ChangeReversal($changeId: ID!) {\n    changeReversal(changeId: $changeId) { changeId actor at actions revertible obstacle }\n  }\n": types.ChangeReversalDocument,
    "\n  mutation ChangeRevert($input: ChangeRevertInput!) {\n    changeRevert(input: $input) {\n      changeId\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n": types.ChangeRevertDocument,
    "\n  fragment LimitFields on Limit {\n    id name apiKey operations per onMissing onUnavailable deadlineMs charge attemptTimeoutMs inHeaders summary origin\n    algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period\n    throttle { mode percent maxPercent pool maxDelayMs }\n    enforcement { mode percent }\n    consistency { mode leaseMs }\n    candidate { algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period }\n  }\n": types.LimitFieldsFragmentDoc,
    "\n  query LimitHistory($tenantKey: String!) {\n    limitHistory(tenantKey: $tenantKey) {\n      apiKey limitName measure windowMs days { at used denied } steps { at limit lasting }\n    }\n  }\n": types.LimitHistoryDocument,
    "\n  query ScopeApis($first: Int!, $after: String) {\n    apis(first: $first, after: $after) {\n      totalCount nodes { key name defaultLimits { name } } pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.ScopeApisDocument,
    "\n  query ScopeTiers($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      nodes { key name rank archivedAt published { limits { name apiKey } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.ScopeTiersDocument,
    "\n  query PermissionRoles {\n    permissionRoles { permission operatorRoles }\n  }\n": types.PermissionRolesDocument,
    "\n  query Viewer {\n    viewer { id name email role permissions memberships { tenantKey tenantName role permissions } }\n    permissionRoles { permission operatorRoles }\n  }\n": types.ViewerDocument,
    "\n  query Grantable($tenantKey: String) {\n    grantable(tenantKey: $tenantKey) { memberRoles operatorRoles scopes }\n  }\n": types.GrantableDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PaletteSearch($text: String!, $status: TenantStatus) {\n    tenants(first: 6, search: $text, status: $status) { nodes { key name } }\n    apis(first: 5, search: $text) { nodes { key name } }\n    tiers(first: 50) { nodes { key name draft { id } } }\n  }\n"): typeof import('./graphql.js').PaletteSearchDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PaletteNode($id: ID!) {\n    node(id: $id) {\n      __typename\n      id\n      ... on Api { apiKeyName: key }\n      ... on Tier { tierKey: key }\n      ... on Tenant { tenantKey: key }\n      ... on Offer { offerKey: key }\n      ... on AuditEntry { entityId }\n    }\n  }\n"): typeof import('./graphql.js').PaletteNodeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AccountSecurity {\n    accountSecurity {\n      twoFactorEnabled recoveryCodesLeft\n      passkeys { id name createdAt backedUp }\n      sessions { id userAgent ipAddress createdAt lastUsedAt isCurrent }\n    }\n  }\n"): typeof import('./graphql.js').AccountSecurityDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SessionRevoke($input: SessionRevokeInput!) {\n    sessionRevoke(input: $input) { revoked userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').SessionRevokeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SessionRevokeOthers($input: SessionRevokeOthersInput!) {\n    sessionRevokeOthers(input: $input) { revoked userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').SessionRevokeOthersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PasswordResetRequest($input: PasswordResetRequestInput!) {\n    passwordResetRequest(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PasswordResetRequestDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantAdjustments($tenantKey: String!) {\n    overrides(tenantKey: $tenantKey, first: 50) {\n      totalCount\n      nodes {\n        id kind status apiKey limit appliesTo reason startsAt endsAt createdAt createdBy removedAt\n        effect { kind units percent limit }\n      }\n    }\n    entitlements(tenantKey: $tenantKey, first: 50) {\n      totalCount\n      nodes {\n        id source cause label purchaseId apiKey limit appliesTo startsAt endsAt inForce createdAt actor\n        effect { kind units percent limit }\n      }\n    }\n  }\n"): typeof import('./graphql.js').TenantAdjustmentsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OverrideRemove($input: OverrideRemoveInput!) {\n    overrideRemove(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OverrideRemoveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BoostEnd($input: BoostEndInput!) {\n    boostEnd(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').BoostEndDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EntitlementRevoke($input: EntitlementRevokeInput!) {\n    entitlementRevoke(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').EntitlementRevokeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OverrideSet($input: OverrideSetInput!) {\n    overrideSet(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').OverrideSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BoostStart($input: BoostStartInput!) {\n    boostStart(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').BoostStartDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EntitlementGrant($input: EntitlementGrantInput!) {\n    entitlementGrant(input: $input) {\n      changeId warnings preview { apiKey limitName limit } userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').EntitlementGrantDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AlertThresholds($tenantKey: String!) {\n    alertThresholds(tenantKey: $tenantKey) { id apiKey limitName percents }\n  }\n"): typeof import('./graphql.js').AlertThresholdsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AlertThresholdSet($input: AlertThresholdSetInput!) {\n    alertThresholdSet(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').AlertThresholdSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AlertThresholdRemove($input: AlertThresholdRemoveInput!) {\n    alertThresholdRemove(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').AlertThresholdRemoveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ApiKeys($tenantKey: String!, $first: Int!, $after: String) {\n    apiKeys(tenantKey: $tenantKey, first: $first, after: $after) {\n      totalCount\n      nodes {\n        id name mode publicId scopes createdAt createdBy expiresAt lastUsedAt revokedAt\n        secrets { lastFour endsAt }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').ApiKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiKeyCreate($input: ApiKeyCreateInput!) {\n    apiKeyCreate(input: $input) { key userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ApiKeyCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiKeyRotate($input: ApiKeyRotateInput!) {\n    apiKeyRotate(input: $input) { key userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ApiKeyRotateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiKeyRevoke($input: ApiKeyRevokeInput!) {\n    apiKeyRevoke(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ApiKeyRevokeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Apis {\n    apis(first: 100) {\n      totalCount\n      nodes { id key name description unknownOperations operations { id name cost } }\n    }\n  }\n"): typeof import('./graphql.js').ApisDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Api($key: String!) {\n    api(key: $key) {\n      id key name description unknownOperations headerStyles tags managedBy version createdAt\n      operations { id name description cost priority }\n      pools { id name operations capacity reclaimPercent }\n      defaultLimits { ...LimitFields }\n    }\n  }\n"): typeof import('./graphql.js').ApiDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TiersOfApi($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id key name rank published { id limits { ...LimitFields } } }\n    }\n  }\n"): typeof import('./graphql.js').TiersOfApiDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PoolsLive($key: String!) {\n    api(key: $key) {\n      id\n      pools { id live { capacity admitted borrowed spare borrowers nodes } }\n    }\n  }\n"): typeof import('./graphql.js').PoolsLiveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DiscoveredOperations($apiKey: String) {\n    discoveredOperations(apiKey: $apiKey) { apiKey apiKnown operation known count tenants lastHour }\n  }\n"): typeof import('./graphql.js').DiscoveredOperationsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiCreate($input: ApiCreateInput!) {\n    apiCreate(input: $input) { api { id key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ApiCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiUpdate($input: ApiUpdateInput!) {\n    apiUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ApiUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiDelete($input: ApiDeleteInput!) {\n    apiDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ApiDeleteDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperationCreate($input: OperationCreateInput!) {\n    operationCreate(input: $input) { impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperationCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperationUpdate($input: OperationUpdateInput!) {\n    operationUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperationUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperationDelete($input: OperationDeleteInput!) {\n    operationDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperationDeleteDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PoolCreate($input: PoolCreateInput!) {\n    poolCreate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PoolCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PoolUpdate($input: PoolUpdateInput!) {\n    poolUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PoolUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PoolDelete($input: PoolDeleteInput!) {\n    poolDelete(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PoolDeleteDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditEntries(\n    $first: Int!, $after: String, $tenant: String, $actor: String, $action: String, $entityId: String,\n    $changeId: String, $from: DateTime, $to: DateTime\n  ) {\n    auditEntries(\n      first: $first, after: $after, tenant: $tenant, actor: $actor, action: $action, entityId: $entityId,\n      changeId: $changeId, from: $from, to: $to\n    ) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id at actor actorKind action entity entityId entityName entityKey revertedName tenantKey before after reason requestId changeId address userAgent\n        chain sequence hash\n      }\n    }\n  }\n"): typeof import('./graphql.js').AuditEntriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditVerify($tenantKey: String) {\n    auditVerify(tenantKey: $tenantKey) {\n      ok chains entries unsignedChains brokenChains\n      breaks { chain sequence problem }\n    }\n  }\n"): typeof import('./graphql.js').AuditVerifyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BulkActions {\n    bulkActions(first: 5) {\n      nodes {\n        id kind status input reason startedBy createdAt finishedAt revertedById stoppedBecause\n        progress { total pending done failed canceled }\n      }\n    }\n  }\n"): typeof import('./graphql.js').BulkActionsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BulkFailures($id: ID!) {\n    bulkAction(id: $id) { id items(first: 100, status: FAILED) { nodes { tenantKey error } } }\n  }\n"): typeof import('./graphql.js').BulkFailuresDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BulkActionStart($input: BulkActionStartInput!) {\n    bulkActionStart(input: $input) {\n      tenants tried refusals { tenantKey message }\n      impact { tenants increased decreased }\n      bulkAction { id }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').BulkActionStartDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BulkActionCancel($input: BulkActionInput!) {\n    bulkActionCancel(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').BulkActionCancelDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BulkActionUndo($input: BulkActionInput!) {\n    bulkActionUndo(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').BulkActionUndoDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ChangeSets($after: String) {\n    changeSets(first: 25, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id title status version author createdAt scheduledAt items { id } }\n    }\n  }\n"): typeof import('./graphql.js').ChangeSetsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ChangeSet($id: ID!) {\n    changeSet(id: $id) {\n      id title description status version author createdAt reviewedBy reviewedAt note\n      scheduledAt appliedAt appliedBy changeId revertsId\n      items { id command input }\n      diff {\n        stale\n        entries { item action entity entityId tenantKey fields { path before after } }\n        errors { code field message }\n        impact { ...ImpactFields }\n      }\n    }\n  }\n"): typeof import('./graphql.js').ChangeSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ChangeSetOutcome on ChangeSetPayload {\n    changeId\n    changeSet { id title version status }\n    userErrors { code field message }\n  }\n"): typeof import('./graphql.js').ChangeSetOutcomeFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetSubmit($input: ChangeSetInput!) {\n    changeSetSubmit(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetSubmitDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetApprove($input: ChangeSetReviewInput!) {\n    changeSetApprove(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetApproveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetReject($input: ChangeSetReviewInput!) {\n    changeSetReject(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetRejectDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetApply($input: ChangeSetInput!) {\n    changeSetApply(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetApplyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetCancel($input: ChangeSetInput!) {\n    changeSetCancel(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetCancelDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetRevert($input: ChangeSetInput!) {\n    changeSetRevert(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetRevertDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetSchedule($input: ChangeSetScheduleInput!) {\n    changeSetSchedule(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetScheduleDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetRemoveItem($input: ChangeSetRemoveItemInput!) {\n    changeSetRemoveItem(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetRemoveItemDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetCreate($input: ChangeSetCreateInput!) {\n    changeSetCreate(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeSetAddItem($input: ChangeSetAddItemInput!) {\n    changeSetAddItem(input: $input) { ...ChangeSetOutcome }\n  }\n"): typeof import('./graphql.js').ChangeSetAddItemDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Why($text: String!, $publicId: String!) {\n    decision(requestId: $text) {\n      id tenantKey requestId at nodeId apiKey operation cost outcome reason limitName retryAfter delayMs revision\n      subject { dimension pseudonym }\n      policies { limitName limit remaining resetAt mode success }\n    }\n    tenantOfApiKey(publicId: $publicId) { id key }\n    tenant(key: $text) { id key }\n  }\n"): typeof import('./graphql.js').WhyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RecentDenials($tenantKey: String!) {\n    decisions(tenantKey: $tenantKey, outcome: DENIED, first: 20) {\n      nodes { id requestId at apiKey operation limitName reason }\n    }\n  }\n"): typeof import('./graphql.js').RecentDenialsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment LadderFields on LimitLadder {\n    revision publishedAt tierKey tierName tierVersion\n    limit {\n      source tierLimit\n      provenance { source adjustmentId label from to until }\n      limit { ...LimitFields }\n    }\n    sources { adjustmentId actor reason purchaseId changeId }\n    tierChange { changeId actor action reason changeSetId changeSetTitle }\n    introduced {\n      revision at isScheduled\n      changes { changeId actor action reason changeSetId changeSetTitle }\n    }\n  }\n"): typeof import('./graphql.js').LadderFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Ladder($tenantKey: String!, $apiKey: String!, $limitName: String!, $revision: Int!, $at: DateTime!) {\n    past: limitLadder(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName, revision: $revision, at: $at) {\n      ...LadderFields\n    }\n    today: limitLadder(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) { ...LadderFields }\n  }\n"): typeof import('./graphql.js').LadderDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query InstallationSettings {\n    installationSettings {\n      productName accent logo companyName address taxId registration contact invoiceNote\n      taxLabel taxBasisPoints embedOrigins version\n    }\n  }\n"): typeof import('./graphql.js').InstallationSettingsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UsageWidgetTokenCreate($input: UsageWidgetTokenCreateInput!) {\n    usageWidgetTokenCreate(input: $input) { url userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').UsageWidgetTokenCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation InstallationUpdate($input: InstallationUpdateInput!) {\n    installationUpdate(input: $input) {\n      installation { version }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').InstallationUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Jobs($state: JobState) {\n    jobQueues { name paused counts { state count } }\n    jobs(state: $state) { id queue name state attempts maxAttempts error stack data everyMs at }\n  }\n"): typeof import('./graphql.js').JobsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation JobRetry($input: JobTargetInput!) {\n    jobRetry(input: $input) { job { state } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').JobRetryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation JobRemove($input: JobTargetInput!) {\n    jobRemove(input: $input) { job { state } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').JobRemoveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation JobQueuePause($input: JobQueueTargetInput!) {\n    jobQueuePause(input: $input) { queue { paused } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').JobQueuePauseDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation JobQueueResume($input: JobQueueTargetInput!) {\n    jobQueueResume(input: $input) { queue { paused } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').JobQueueResumeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Invitation($token: String!) {\n    invitation(token: $token) { email to role hasAccount expiresAt }\n  }\n"): typeof import('./graphql.js').InvitationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation InvitationAccept($input: InvitationAcceptInput!) {\n    invitationAccept(input: $input) { email tenantKey userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').InvitationAcceptDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantSignUp($input: TenantSignUpInput!) {\n    tenantSignUp(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantSignUpDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SignUpOpen {\n    installation { signUp }\n  }\n"): typeof import('./graphql.js').SignUpOpenDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LiveExample {\n    tenants(first: 1, status: ACTIVE) { nodes { key } }\n    apis(first: 10) { nodes { key operations { name } } }\n  }\n"): typeof import('./graphql.js').LiveExampleDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantPeople($tenantKey: String!) {\n    tenant(key: $tenantKey) { name members { id name email role } }\n    invitations(tenantKey: $tenantKey, first: 100) { nodes { id email role invitedBy expiresAt createdAt } }\n  }\n"): typeof import('./graphql.js').TenantPeopleDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MemberInvite($input: MemberInviteInput!) {\n    memberInvite(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').MemberInviteDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MemberRoleChange($input: MemberRoleChangeInput!) {\n    memberRoleChange(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').MemberRoleChangeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MemberRemove($input: MemberRemoveInput!) {\n    memberRemove(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').MemberRemoveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation InvitationResend($input: InvitationTargetInput!) {\n    invitationResend(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').InvitationResendDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation InvitationRevoke($input: InvitationTargetInput!) {\n    invitationRevoke(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').InvitationRevokeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DecisionNodes($includeRetired: Boolean) {\n    decisionNodes(includeRetired: $includeRetired) {\n      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale policyAgeMs policyStale retiredAt\n      nack { revision reason }\n    }\n    currentRevision { number publishedAt hash }\n  }\n"): typeof import('./graphql.js').DecisionNodesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation NodeRetire($input: NodeRetireInput!) {\n    nodeRetire(input: $input) { node { nodeId retiredAt } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').NodeRetireDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Propagation($changeId: ID!) {\n    propagation(changeId: $changeId) {\n      changeId state revision publishedAt liveNodes totalNodes slowestMs\n      nodes { nodeId live latencyMs nack { revision reason } }\n    }\n  }\n"): typeof import('./graphql.js').PropagationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RecentChanges($first: Int!) {\n    revisions(first: $first) {\n      nodes { number changes { changeId at actor action entity entityId entityName entityKey tenantKey } }\n    }\n  }\n"): typeof import('./graphql.js').RecentChangesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Notices($first: Int!, $after: String, $tenantKey: String) {\n    notices(first: $first, after: $after, tenantKey: $tenantKey) {\n      pageInfo { hasNextPage endCursor }\n      nodes { id kind severity title data tenantKey createdAt }\n    }\n  }\n"): typeof import('./graphql.js').NoticesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query NoticesUnread($tenantKey: String) { noticesUnread(tenantKey: $tenantKey) }\n"): typeof import('./graphql.js').NoticesUnreadDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation NoticesMarkRead($input: NoticesMarkReadInput!) {\n    noticesMarkRead(input: $input) { unread userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').NoticesMarkReadDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment OfferFields on Offer {\n    id key name description kind status priceMinor currency interval validDays graceDays\n    effects { apiKey limitName appliesTo kind units percent }\n    tierKeys maxQuantity stock stockLeft carryOver version createdAt\n  }\n"): typeof import('./graphql.js').OfferFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Offers($first: Int!, $after: String, $status: OfferStatus) {\n    offers(first: $first, after: $after, status: $status) {\n      totalCount nodes { ...OfferFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').OffersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Offer($key: String!) {\n    offer(key: $key) { ...OfferFields }\n  }\n"): typeof import('./graphql.js').OfferDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OfferCreate($input: OfferCreateInput!) {\n    offerCreate(input: $input) { offer { key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OfferCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OfferUpdate($input: OfferUpdateInput!) {\n    offerUpdate(input: $input) { offer { key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OfferUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OfferActivate($input: OfferChangeInput!) {\n    offerActivate(input: $input) { offer { key status } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OfferActivateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OfferArchive($input: OfferChangeInput!) {\n    offerArchive(input: $input) { offer { key status } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OfferArchiveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Operators {\n    operators { id email name role createdAt suspendedAt }\n    operatorInvitations(first: 50) { nodes { id email operatorRole invitedBy createdAt expiresAt } }\n  }\n"): typeof import('./graphql.js').OperatorsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperatorInvite($input: OperatorInviteInput!) {\n    operatorInvite(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperatorInviteDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperatorRoleChange($input: OperatorRoleChangeInput!) {\n    operatorRoleChange(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperatorRoleChangeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperatorSuspend($input: OperatorStatusInput!) {\n    operatorSuspend(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperatorSuspendDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperatorResume($input: OperatorStatusInput!) {\n    operatorResume(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperatorResumeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperatorRemove($input: OperatorStatusInput!) {\n    operatorRemove(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperatorRemoveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperatorInvitationResend($input: OperatorInvitationTargetInput!) {\n    operatorInvitationResend(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperatorInvitationResendDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperatorInvitationRevoke($input: OperatorInvitationTargetInput!) {\n    operatorInvitationRevoke(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperatorInvitationRevokeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DecisionUrl {\n    installation { decisionUrl }\n  }\n"): typeof import('./graphql.js').DecisionUrlDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PortalTenant($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone\n      subscription { tier { key name } }\n      effectiveLimits {\n        source tierLimit clamped\n        live { used remaining resetAt }\n        provenance { adjustmentId label source from to until }\n        limit { ...LimitFields }\n      }\n    }\n  }\n"): typeof import('./graphql.js').PortalTenantDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PortalUtilization($tenantKey: String!) {\n    limitUtilization(tenantKey: $tenantKey) {\n      apiKey limitName used capacity percent denied limitedSince resetsAt exhaustsAt\n    }\n  }\n"): typeof import('./graphql.js').PortalUtilizationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OwnLimitSet($input: OwnLimitSetInput!) {\n    ownLimitSet(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OwnLimitSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OwnLimitRemove($input: OwnLimitRemoveInput!) {\n    ownLimitRemove(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OwnLimitRemoveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment PurchaseFields on Purchase {\n    id tenantKey label kind provider status quantity amountMinor currency interval\n    renews paidThrough graceEndsAt checkoutUrl createdAt\n    offer { key name }\n    effects { apiKey limitName appliesTo kind units percent }\n  }\n"): typeof import('./graphql.js').PurchaseFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Purchases($first: Int!, $after: String, $tenantKey: String, $status: PurchaseStatus) {\n    purchases(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...PurchaseFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').PurchasesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Purchase($id: ID!) {\n    purchase(id: $id) {\n      ...PurchaseFields\n      providerStop { attempts isExhausted lastError nextAttemptAt }\n      payments { ref at amountMinor currency status reviewReason refundedMinor disputedMinor }\n      events { id source type at payment amountMinor reason }\n      moneyEntries { id account amountMinor currency at }\n    }\n  }\n"): typeof import('./graphql.js').PurchaseDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PaymentProviders {\n    paymentProviders\n  }\n"): typeof import('./graphql.js').PaymentProvidersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PurchasePreview($tenantKey: String!, $offerKey: String!, $quantity: Int!) {\n    purchasePreview(tenantKey: $tenantKey, offerKey: $offerKey, quantity: $quantity) {\n      limits { apiKey limitName before after }\n      noEffect amountMinor renewsAt\n    }\n  }\n"): typeof import('./graphql.js').PurchasePreviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PurchaseStart($input: PurchaseStartInput!) {\n    purchaseStart(input: $input) { purchase { id checkoutUrl } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PurchaseStartDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PurchaseCancel($input: PurchaseCancelInput!) {\n    purchaseCancel(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PurchaseCancelDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PurchaseRefund($input: PurchaseRefundInput!) {\n    purchaseRefund(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PurchaseRefundDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PurchaseApprove($input: PaymentDecisionInput!) {\n    purchaseApprove(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PurchaseApproveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PurchaseReject($input: PaymentDecisionInput!) {\n    purchaseReject(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PurchaseRejectDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PurchaseStopRetry($input: PurchaseCancelInput!) {\n    purchaseStopRetry(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PurchaseStopRetryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InvoiceFields on Invoice {\n    id number period status amountMinor currency issuedAt dueAt closedAt reference\n    purchase { id tenantKey label }\n  }\n"): typeof import('./graphql.js').InvoiceFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Invoices($first: Int!, $after: String, $tenantKey: String, $status: InvoiceStatus) {\n    invoices(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...InvoiceFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').InvoicesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation InvoiceMarkPaid($input: InvoiceMarkPaidInput!) {\n    invoiceMarkPaid(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').InvoiceMarkPaidDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation InvoiceVoid($input: InvoiceVoidInput!) {\n    invoiceVoid(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').InvoiceVoidDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BillingDetails($tenantKey: String!) {\n    billingDetails(tenantKey: $tenantKey) { name address taxId email version }\n  }\n"): typeof import('./graphql.js').BillingDetailsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BillingDetailsSet($input: BillingDetailsSetInput!) {\n    billingDetailsSet(input: $input) { billingDetails { version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').BillingDetailsSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PaymentEventReviews($first: Int!, $after: String, $status: PaymentEventReviewStatus) {\n    paymentEventReviews(first: $first, after: $after, status: $status) {\n      totalCount\n      nodes { id provider eventId type apiVersion problem status attempts receivedAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').PaymentEventReviewsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PaymentEventRetry($input: PaymentEventRetryInput!) {\n    paymentEventRetry(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PaymentEventRetryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PaymentEventDismiss($input: PaymentEventDismissInput!) {\n    paymentEventDismiss(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PaymentEventDismissDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BillingTime($tenantKey: String!) {\n    billingTime(tenantKey: $tenantKey) { now isTest }\n  }\n"): typeof import('./graphql.js').BillingTimeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TestClockAdvance($input: TestClockAdvanceInput!) {\n    testClockAdvance(input: $input) { clock { now isTest } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TestClockAdvanceDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Spending($tenantKey: String!) {\n    spending(tenantKey: $tenantKey) { currency capMinor paidMinor expectedMinor resetsAt }\n  }\n"): typeof import('./graphql.js').SpendingDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SpendCapSet($input: SpendCapSetInput!) {\n    spendCapSet(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').SpendCapSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PaymentPortalLink($input: PaymentPortalLinkInput!) {\n    paymentPortalLink(input: $input) { url userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').PaymentPortalLinkDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Revenue {\n    revenue {\n      currency monthlyMinor receivedMinor failedRenewals failedMinor\n      offers { offerKey offerName purchases monthlyMinor }\n      upgrades { tierKey tierName purchases }\n    }\n  }\n"): typeof import('./graphql.js').RevenueDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment QuotaRequestFields on QuotaRequest {\n    id status apiKey limit current wanted why offered until answer requestedBy version createdAt\n    tenant { key name timeZone }\n  }\n"): typeof import('./graphql.js').QuotaRequestFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query QuotaRequests($first: Int!, $after: String, $tenantKey: String, $status: QuotaRequestStatus) {\n    quotaRequests(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {\n      totalCount nodes { ...QuotaRequestFields } pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').QuotaRequestsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation QuotaRequestApprove($input: QuotaRequestApproveInput!) {\n    quotaRequestApprove(input: $input) { changeId warnings userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').QuotaRequestApproveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation QuotaRequestCounter($input: QuotaRequestCounterInput!) {\n    quotaRequestCounter(input: $input) { changeId warnings userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').QuotaRequestCounterDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation QuotaRequestDecline($input: QuotaRequestDeclineInput!) {\n    quotaRequestDecline(input: $input) { changeId warnings userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').QuotaRequestDeclineDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation QuotaRequestCreate($input: QuotaRequestCreateInput!) {\n    quotaRequestCreate(input: $input) { request { id } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').QuotaRequestCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation QuotaRequestAccept($input: QuotaRequestOwnInput!) {\n    quotaRequestAccept(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').QuotaRequestAcceptDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation QuotaRequestWithdraw($input: QuotaRequestOwnInput!) {\n    quotaRequestWithdraw(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').QuotaRequestWithdrawDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Revisions($first: Int!, $after: String, $catalogueOnly: Boolean) {\n    revisions(first: $first, after: $after, catalogueOnly: $catalogueOnly) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        number cause publishedAt catalogueRevision size tenantCount changeCount\n        changes { changeId at actor action entity entityId entityName entityKey tenantKey reason }\n      }\n    }\n  }\n"): typeof import('./graphql.js').RevisionsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RevisionDiff($from: Int!, $to: Int!) {\n    revisionDiff(from: $from, to: $to) {\n      from to\n      tiers { key kind fromVersion toVersion fromWeight toWeight limits { name kind from to } }\n      apis {\n        key kind fromUnknownOperations toUnknownOperations\n        operations { name kind from to }\n        pools { name kind from to }\n      }\n    }\n  }\n"): typeof import('./graphql.js').RevisionDiffDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PolicyRollback($input: PolicyRollbackInput!) {\n    policyRollback(input: $input) {\n      changeId\n      rollback { toRevision tiers apis kept }\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').PolicyRollbackDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ServiceTokens {\n    serviceTokens { id name publicId lastFour scopes tenantKeys lastUsedAt replacedById createdAt expiresAt revokedAt }\n  }\n"): typeof import('./graphql.js').ServiceTokensDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {\n    serviceTokenCreate(input: $input) { token userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ServiceTokenCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ServiceTokenRotate($input: ServiceTokenRotateInput!) {\n    serviceTokenRotate(input: $input) { token userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ServiceTokenRotateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {\n    serviceTokenRevoke(input: $input) { serviceToken { id revokedAt } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ServiceTokenRevokeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantDetail($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone billingAnchorDay version createdAt tags managedBy\n      subscription { pinned since tier { id key name } tierVersion { id number } }\n      effectiveLimits {\n        source tierLimit clamped\n        provenance { source adjustmentId label from to until }\n        live { used remaining resetAt }\n        limit { ...LimitFields }\n      }\n    }\n  }\n"): typeof import('./graphql.js').TenantDetailDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantCreate($input: TenantCreateInput!) {\n    tenantCreate(input: $input) { changeId tenant { id key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantUpdate($input: TenantUpdateInput!) {\n    tenantUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantTierChange($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantTierChangeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantSuspend($input: TenantStatusInput!) {\n    tenantSuspend(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantSuspendDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantResume($input: TenantStatusInput!) {\n    tenantResume(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantResumeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantArchive($input: TenantStatusInput!) {\n    tenantArchive(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantArchiveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantTierTrial($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) {\n      warnings { apiKey name message }\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').TenantTierTrialDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TierChoices {\n    tiers(first: 100) { nodes { id key name rank published { id number } } }\n  }\n"): typeof import('./graphql.js').TierChoicesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantBoard(\n    $first: Int!, $after: String, $orderBy: UtilizationOrder!, $descending: Boolean!\n    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean\n  ) {\n    tenantUtilization(\n      first: $first, after: $after, orderBy: $orderBy, descending: $descending\n      search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied\n    ) {\n      pageInfo { endCursor hasNextPage }\n      nodes {\n        percent requests denied exhaustsAt requestsByHour deniedByHour\n        tenant { id key name status subscription { pinned tier { id key name } tierVersion { id number } } }\n        tightest { ...BoardLimit }\n        exhausting { ...BoardLimit }\n      }\n    }\n  }\n  fragment BoardLimit on LimitUtilization {\n    apiKey limitName limit windowMs period per used capacity percent denied peakAt limitedSince resetsAt exhaustsAt\n  }\n"): typeof import('./graphql.js').TenantBoardDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LimitUtilization($tenantKey: String!) {\n    limitUtilization(tenantKey: $tenantKey) { ...BoardLimit }\n  }\n"): typeof import('./graphql.js').LimitUtilizationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantBoardCount(\n    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean\n  ) {\n    tenantUtilization(\n      first: 1, search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied\n    ) { totalCount }\n  }\n"): typeof import('./graphql.js').TenantBoardCountDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SavedViews { savedViews(list: \"tenants\") { id name search } }\n"): typeof import('./graphql.js').SavedViewsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SavedViewSet($input: SavedViewSetInput!) {\n    savedViewSet(input: $input) { views { id } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').SavedViewSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SavedViewRemove($input: SavedViewRemoveInput!) {\n    savedViewRemove(input: $input) { views { id } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').SavedViewRemoveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantVersion($key: String!) { tenant(key: $key) { id version } }\n"): typeof import('./graphql.js').TenantVersionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation LimitBoost($input: BoostStartInput!) {\n    boostStart(input: $input) {\n      changeId warnings\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').LimitBoostDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LimitPeaks($tenantKey: String!, $apiKey: String!, $limitName: String!) {\n    limitPeaks(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) { at used capacity denied }\n  }\n"): typeof import('./graphql.js').LimitPeaksDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TestRequestTenants($search: String) {\n    tenants(first: 20, search: $search) { nodes { id key name } }\n  }\n"): typeof import('./graphql.js').TestRequestTenantsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TestRequestApis {\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n"): typeof import('./graphql.js').TestRequestApisDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TestRequestLimits($tenantKey: String!) {\n    tenant(key: $tenantKey) { id effectiveLimits { limit { ...LimitFields } } }\n  }\n"): typeof import('./graphql.js').TestRequestLimitsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TestRequestKeys($tenantKey: String!) {\n    apiKeys(tenantKey: $tenantKey, first: 50) { nodes { id name publicId scopes revokedAt } }\n  }\n"): typeof import('./graphql.js').TestRequestKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TestRequestSend($input: TestRequestSendInput!) {\n    testRequestSend(input: $input) {\n      results {\n        status success reason limitName limit remaining resetAt retryAfter delayMs degraded revision requestId\n        headers { name value }\n        policies { limitName limit remaining resetAt mode success }\n      }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').TestRequestSendDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Tiers($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id key name description rank version tenantCount managedBy archivedAt\n        draft { id number }\n        published {\n          id number publishedAt\n          limits { ...LimitFields }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.js').TiersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TierDetail($key: String!) {\n    tier(key: $key) {\n      id key name description rank weight tags signUp version tenantCount managedBy archivedAt\n      published { ...TierVersionFields }\n      draft { ...TierVersionFields }\n      versions { ...TierVersionFields }\n    }\n    apis(first: 100) { nodes { id key name version operations { id name } pools { id name } } }\n  }\n\n  fragment TierVersionFields on TierVersion {\n    id number status publishedAt publishedBy note audience automatic carryOver tenantCount\n    cohort { percent tags tenantKeys }\n    limits { ...LimitFields }\n  }\n"): typeof import('./graphql.js').TierDetailDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierCreate($input: TierCreateInput!) {\n    tierCreate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierUpdate($input: TierUpdateInput!) {\n    tierUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierDuplicate($input: TierDuplicateInput!) {\n    tierDuplicate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierDuplicateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierArchive($input: TierLifecycleInput!) {\n    tierArchive(input: $input) { tier { id version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierArchiveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierRestore($input: TierLifecycleInput!) {\n    tierRestore(input: $input) { tier { id version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierRestoreDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierDelete($input: TierLifecycleInput!) {\n    tierDelete(input: $input) { tier { id version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierDeleteDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierMigrate($input: TierMigrateInput!) {\n    tierMigrate(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierMigrateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierCohortExtend($input: TierCohortExtendInput!) {\n    tierCohortExtend(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierCohortExtendDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierDraftSave($input: TierDraftSaveInput!) {\n    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierDraftSaveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {\n    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierDraftDiscardDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierPublish($input: TierPublishInput!) {\n    tierPublish(input: $input) {\n      changeId\n      impact { ...ImpactFields }\n      warnings { code severity message advice path }\n      tier { id version published { id number } }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').TierPublishDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TierLint($tierKey: String!, $version: Int) {\n    tierLint(tierKey: $tierKey, version: $version) { severity code message advice path }\n  }\n"): typeof import('./graphql.js').TierLintDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TierCompare($a: TierVersionRef!, $b: TierVersionRef!) {\n    tierCompare(a: $a, b: $b) {\n      increased decreased\n      limits {\n        apiKey name kind increased decreased\n        before { ...LimitFields }\n        after { ...LimitFields }\n      }\n    }\n  }\n"): typeof import('./graphql.js').TierCompareDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ApisForMatrix {\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n"): typeof import('./graphql.js').ApisForMatrixDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation LimitPoolCreate($input: PoolCreateInput!) {\n    poolCreate(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').LimitPoolCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiDefaultLimitsSet($input: ApiDefaultLimitsSetInput!) {\n    apiDefaultLimitsSet(input: $input) {\n      changeId impact { ...ImpactFields } userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').ApiDefaultLimitsSetDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query UsageOverTime(\n    $tenantKey: String!, $from: DateTime!, $to: DateTime, $interval: UsageInterval!, $groupBy: [UsageGroup!]\n    $apiKey: String, $operation: String, $limitName: String\n  ) {\n    usage(\n      tenantKey: $tenantKey, from: $from, to: $to, interval: $interval, groupBy: $groupBy\n      apiKey: $apiKey, operation: $operation, limitName: $limitName\n    ) {\n      tenantKey interval timeZone from to keptSince omittedSeries\n      total { count denied degraded units }\n      series {\n        apiKey operation limitName outcome\n        total { count denied degraded units }\n        points { at count denied degraded units }\n      }\n    }\n  }\n"): typeof import('./graphql.js').UsageOverTimeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Traffic($from: DateTime!, $to: DateTime) {\n    traffic(from: $from, to: $to) {\n      from to stepMs p50Ms p99Ms\n      total { count denied degraded units }\n      points { at count denied degraded units p50Ms p99Ms }\n      previousTotal { count denied degraded units }\n      previousPoints { at count denied degraded units }\n      publications { tierKey tierName number at }\n    }\n  }\n"): typeof import('./graphql.js').TrafficDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TrafficLeader($from: DateTime!, $to: DateTime) {\n    usageTop(from: $from, to: $to, orderBy: DENIED, first: 1) { tenantKey tenantName denied }\n  }\n"): typeof import('./graphql.js').TrafficLeaderDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query UsageSummary($tenantKey: String!) {\n    usageSummary(tenantKey: $tenantKey) {\n      periodStart periodEnd\n      total { count denied }\n      peakDay { at count }\n      peakMinute { at count }\n    }\n  }\n"): typeof import('./graphql.js').UsageSummaryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LimitCrossings($tenantKey: String!, $first: Int!) {\n    limitCrossings(tenantKey: $tenantKey, first: $first) {\n      totalCount\n      nodes { id apiKey limitName counter percent used capacity at }\n    }\n  }\n"): typeof import('./graphql.js').LimitCrossingsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query WebhookEndpoints($tenantKey: String) {\n    webhookEndpoints(tenantKey: $tenantKey) {\n      id tenantKey url description events status disabledReason previousUntil version createdAt\n    }\n  }\n"): typeof import('./graphql.js').WebhookEndpointsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookEndpointCreate($input: WebhookEndpointCreateInput!) {\n    webhookEndpointCreate(input: $input) { secret userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookEndpointCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookEndpointUpdate($input: WebhookEndpointUpdateInput!) {\n    webhookEndpointUpdate(input: $input) { endpoint { version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookEndpointUpdateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookEndpointEnable($input: WebhookEndpointTargetInput!) {\n    webhookEndpointEnable(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookEndpointEnableDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookEndpointDisable($input: WebhookEndpointTargetInput!) {\n    webhookEndpointDisable(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookEndpointDisableDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookEndpointDelete($input: WebhookEndpointTargetInput!) {\n    webhookEndpointDelete(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookEndpointDeleteDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookEndpointTest($input: WebhookEndpointTargetInput!) {\n    webhookEndpointTest(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookEndpointTestDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookEndpointSecretRotate($input: WebhookEndpointRotateInput!) {\n    webhookEndpointSecretRotate(input: $input) { secret userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookEndpointSecretRotateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query WebhookDeliveries($endpointId: ID!, $first: Int!, $after: String) {\n    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id event body status nextAttemptAt createdAt\n        log { number at durationMs statusCode error }\n      }\n    }\n  }\n"): typeof import('./graphql.js').WebhookDeliveriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WebhookDeliveryRetry($input: WebhookDeliveryRetryInput!) {\n    webhookDeliveryRetry(input: $input) { userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').WebhookDeliveryRetryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ImpactFields on Impact {\n    tenants increased decreased\n    sample { tenantKey tenantName increased decreased }\n    overruns { tenantKey tenantName apiKey limitName limit peak excess units days at }\n  }\n"): typeof import('./graphql.js').ImpactFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ChangeReversal($changeId: ID!) {\n    changeReversal(changeId: $changeId) { changeId actor at actions revertible obstacle }\n  }\n"): typeof import('./graphql.js').ChangeReversalDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeRevert($input: ChangeRevertInput!) {\n    changeRevert(input: $input) {\n      changeId\n      impact { tenants increased decreased }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').ChangeRevertDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment LimitFields on Limit {\n    id name apiKey operations per onMissing onUnavailable deadlineMs charge attemptTimeoutMs inHeaders summary origin\n    algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period\n    throttle { mode percent maxPercent pool maxDelayMs }\n    enforcement { mode percent }\n    consistency { mode leaseMs }\n    candidate { algorithm limit windowMs alignment buckets capacity refill queue burst leaseMs period }\n  }\n"): typeof import('./graphql.js').LimitFieldsFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LimitHistory($tenantKey: String!) {\n    limitHistory(tenantKey: $tenantKey) {\n      apiKey limitName measure windowMs days { at used denied } steps { at limit lasting }\n    }\n  }\n"): typeof import('./graphql.js').LimitHistoryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ScopeApis($first: Int!, $after: String) {\n    apis(first: $first, after: $after) {\n      totalCount nodes { key name defaultLimits { name } } pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').ScopeApisDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ScopeTiers($first: Int!, $after: String) {\n    tiers(first: $first, after: $after) {\n      totalCount\n      nodes { key name rank archivedAt published { limits { name apiKey } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): typeof import('./graphql.js').ScopeTiersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PermissionRoles {\n    permissionRoles { permission operatorRoles }\n  }\n"): typeof import('./graphql.js').PermissionRolesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer { id name email role permissions memberships { tenantKey tenantName role permissions } }\n    permissionRoles { permission operatorRoles }\n  }\n"): typeof import('./graphql.js').ViewerDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Grantable($tenantKey: String) {\n    grantable(tenantKey: $tenantKey) { memberRoles operatorRoles scopes }\n  }\n"): typeof import('./graphql.js').GrantableDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
