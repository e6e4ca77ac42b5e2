import { keysMessages, pagesMessages, paletteMessages, shellMessages } from '../app/messages.js';
import { commonMessages, impactMessages } from '../components/messages.js';
import { accountSecurityMessages } from '../features/account-security/messages.js';
import { adjustmentsMessages } from '../features/adjustments/messages.js';
import { alertsMessages } from '../features/alerts/messages.js';
import { apiKeysMessages } from '../features/api-keys/messages.js';
import { apisMessages } from '../features/apis/messages.js';
import { auditMessages } from '../features/audit/messages.js';
import { bulkMessages } from '../features/bulk/messages.js';
import { changeSetsMessages } from '../features/change-sets/messages.js';
import { explainMessages } from '../features/explain/messages.js';
import { forecastMessages } from '../features/forecast/messages.js';
import { joiningMessages } from '../features/joining/messages.js';
import { liveMessages } from '../features/live/messages.js';
import { membersMessages } from '../features/members/messages.js';
import { nodesMessages } from '../features/nodes/messages.js';
import { noticesMessages } from '../features/notices/messages.js';
import { offersMessages } from '../features/offers/messages.js';
import { operatorsMessages } from '../features/operators/messages.js';
import { portalMessages } from '../features/portal/messages.js';
import { purchasesMessages } from '../features/purchases/messages.js';
import { quotaRequestsMessages } from '../features/quota-requests/messages.js';
import { revisionsMessages } from '../features/revisions/messages.js';
import { serviceTokensMessages } from '../features/service-tokens/messages.js';
import { sessionMessages } from '../features/session/messages.js';
import { tenantsMessages } from '../features/tenants/messages.js';
import { tiersMessages } from '../features/tiers/messages.js';
import { usageMessages } from '../features/usage/messages.js';
import { webhooksMessages } from '../features/webhooks/messages.js';

/**
 * Every text of the console, in English, by the part of the console that says it. Another language is a second object of
 * the same shape. Texts are ICU MessageFormat: `{count, plural, one {# tenant} other {# tenants}}`.
 */
export const messages = {
  common: commonMessages,
  shell: shellMessages,
  accountSecurity: accountSecurityMessages,
  adjustments: adjustmentsMessages,
  bulk: bulkMessages,
  explain: explainMessages,
  alerts: alertsMessages,
  apiKeys: apiKeysMessages,
  joining: joiningMessages,
  members: membersMessages,
  offers: offersMessages,
  pages: pagesMessages,
  palette: paletteMessages,
  keys: keysMessages,
  audit: auditMessages,
  forecast: forecastMessages,
  live: liveMessages,
  nodes: nodesMessages,
  notices: noticesMessages,
  operators: operatorsMessages,
  portal: portalMessages,
  purchases: purchasesMessages,
  quotaRequests: quotaRequestsMessages,
  session: sessionMessages,
  tenants: tenantsMessages,
  revisions: revisionsMessages,
  serviceTokens: serviceTokensMessages,
  usage: usageMessages,
  webhooks: webhooksMessages,
  impact: impactMessages,
  apis: apisMessages,
  tiers: tiersMessages,
  changeSets: changeSetsMessages,
};

declare module 'use-intl' {
  interface AppConfig {
    Locale: 'en';
    Messages: typeof messages;
  }
}
