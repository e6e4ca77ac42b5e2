import { readFileSync } from 'node:fs';
import { type ConfigDocument, configDocumentSchema } from '@tollgate/contracts';
import { parse } from 'yaml';
import { type TiersService } from '../features/catalogue/index.js';
import { type PurchaseStartService } from '../features/commerce/index.js';
import {
  type EntitlementGrantsService,
  type OverridesService,
  type QuotaRequestsService,
} from '../features/customers/index.js';
import { type ChangeSetsService } from '../features/governance/index.js';
import { type ApiKeysService, type ServiceTokensService } from '../features/identity/index.js';
import { type WebhooksService } from '../features/notify/index.js';
import { type InvitationsService } from '../features/people/index.js';
import { type Caller, SYSTEM_ACTOR } from '../platform/access/actor.js';
import { type Outcome } from '../platform/changes/outcome.js';
import { newId } from '../platform/ids.js';
import { type MemberRole, type OperatorRole } from '../platform/prisma/schema.js';
import type { TrafficStream } from './demo-traffic.js';

export const DEMO_CALLER: Caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };
export const DEMO_REASON = 'Demo data';

/** Input of a service method, without the fields that the seed adds. The service validates it. */
type Input<M extends (caller: never, input: never) => unknown, Added extends string = never> = Omit<
  Parameters<M>[1],
  'expectedVersion' | 'reason' | Added
>;

interface DemoRequest {
  tenant: string;
  api: string;
  operation: string;
  subject: Record<string, string>;
}

/** The demo. Times count back from the first set-up; `by` is the email address of who signs in and makes the change. */
export interface DemoData {
  document: ConfigDocument;
  /** They sign in with the admin's password. */
  operators: { email: string; name: string; role: OperatorRole }[];
  tenants: Record<
    string,
    {
      /** Members with `signsIn` sign in with the admin's password. */
      members: { email: string; name: string; role: MemberRole; signsIn?: boolean }[];
      invitations?: Input<InvitationsService['inviteMember'], 'tenantKey'>[];
      keys: Input<ApiKeysService['create'], 'tenantKey'>[];
      /** Default: before everything else. */
      hoursAgo?: number;
    }
  >;
  traffic: TrafficStream[];
  /** Times without counters, when requests were decided by `onUnavailable`. */
  outages: { hoursAgo: number; minutes: number }[];
  /** `card` is the number of a test card; without one the purchase stays unpaid. */
  purchases: (Input<PurchaseStartService['start'], 'expectedPriceMinor'> & {
    card?: string;
    daysAgo: number;
  })[];
  /** Later tier versions with other numbers. */
  publications: (Input<TiersService['publish'], 'limits'> & {
    limits: { apiKey: string; name: string; limit: number }[];
    daysAgo: number;
    by: string;
  })[];
  boosts: (Input<OverridesService['startBoost'], 'endsAt'> & {
    endsInHours: number;
    reason: string;
    hoursAgo: number;
    by: string;
  })[];
  grants: (Input<EntitlementGrantsService['grant'], 'endsAt'> & {
    endsInDays: number;
    daysAgo: number;
    by: string;
  })[];
  quotaRequests: (Input<QuotaRequestsService['create']> & {
    /** Email address of a member who signs in. */
    by: string;
    counter?: { offered: number; answer: string };
    hoursAgo: number;
  })[];
  webhookEndpoints: (Input<WebhooksService['create']> & { enabled: boolean })[];
  serviceTokens: (Input<ServiceTokensService['create'], 'expiresAt'> & { endsInDays: number })[];
  /** Each waits for approval. */
  changeSets: (Input<ChangeSetsService['create'], 'needsApproval'> & {
    items: Parameters<ChangeSetsService['add']>[2];
    hoursAgo: number;
    by: string;
  })[];
  /** The first request in the README. */
  example: DemoRequest;
}

/** Reads `prisma/seed`, at the same depth from sources and from the build. */
export function readDemoData(): DemoData {
  const read = (file: string) =>
    readFileSync(new URL(`../../../../prisma/seed/${file}`, import.meta.url), 'utf8');
  return { ...JSON.parse(read('demo.json')), document: configDocumentSchema.parse(parse(read('demo.yaml'))) };
}

/** @throws Error for a refusal: the demo data is wrong */
export function getValue<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const errors = outcome.errors.map((error) => `${error.field?.join('.') ?? ''}: ${error.message}`);
  throw new Error(`Demo data is invalid: ${errors.join('; ')}`);
}
