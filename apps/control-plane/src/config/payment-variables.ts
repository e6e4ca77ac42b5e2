import { createHmac } from 'node:crypto';
import * as z from 'zod';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Secrets that are valid at the same time, for rotation. */
const MAX_WEBHOOK_SECRETS = 4;

const webhookSecrets = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.length <= MAX_WEBHOOK_SECRETS, `may hold ${MAX_WEBHOOK_SECRETS} secrets at most`)
  .refine(
    (parts) => parts.every((part) => /^whsec_\S{10,}$/.test(part)),
    'must hold secrets that begin with whsec_',
  );

export const paymentVariables = {
  PAYMENT_INVOICE_ENABLED: flag
    .default(true)
    .meta({ description: 'Offers are paid by invoice: an operator says when the money has come.' }),
  PAYMENT_TEST_ENABLED: flag.default(false).meta({
    description:
      'Offers are paid with test cards on a page of our own, and tenants may be put on test clocks. No money moves.',
  }),
  PAYMENT_STRIPE_ENABLED: flag.default(false).meta({
    description: 'Offers are paid through Stripe; wants STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.',
  }),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(?:sk|rk)_\S{8,}$/, 'must begin with sk_ or rk_')
    .optional()
    .meta({ secret: true, description: 'Secret or restricted key of the Stripe account.' }),
  STRIPE_WEBHOOK_SECRET: webhookSecrets.optional().meta({
    secret: true,
    description:
      'Signing secret of the webhook endpoint PUBLIC_URL/webhooks/stripe; several, with commas, while one is replaced.',
  }),
  STRIPE_API_BASE: z
    .string()
    .refine(
      (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
      'must be an http:// or https:// address',
    )
    .optional()
    .meta({ description: 'URL of the Stripe API. Default: https://api.stripe.com.' }),
};

export type StripeSettings =
  | { enabled: false }
  | { enabled: true; secretKey: string; webhookSecrets: string[]; apiBase: URL };

export interface PaymentSettings {
  invoice: { enabled: boolean };
  test: { enabled: false } | { enabled: true; webhookSecret: string };
  stripe: StripeSettings;
}

interface Variables {
  SESSION_SECRET: string;
  PAYMENT_INVOICE_ENABLED: boolean;
  PAYMENT_TEST_ENABLED: boolean;
  PAYMENT_STRIPE_ENABLED: boolean;
  STRIPE_SECRET_KEY?: string | undefined;
  STRIPE_WEBHOOK_SECRET?: string[] | undefined;
  STRIPE_API_BASE?: string | undefined;
}

/** Names of missing variables that the enabled Stripe provider requires. */
export function missingPaymentVariables(env: Record<string, string | undefined>): string[] {
  if (env.PAYMENT_STRIPE_ENABLED !== 'true') return [];
  return ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'].filter((name) => env[name] === undefined);
}

/** @param env has no missing payment variables */
export function parsePaymentSettings(env: Variables): PaymentSettings {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets } = env;
  const hasStripe = env.PAYMENT_STRIPE_ENABLED && secretKey !== undefined && webhookSecrets !== undefined;
  const settings: PaymentSettings = {
    invoice: { enabled: env.PAYMENT_INVOICE_ENABLED },
    test: env.PAYMENT_TEST_ENABLED
      ? { enabled: true, webhookSecret: testWebhookSecret(env.SESSION_SECRET) }
      : { enabled: false },
    stripe: hasStripe
      ? {
          enabled: true,
          secretKey,
          webhookSecrets,
          apiBase: new URL(env.STRIPE_API_BASE ?? 'https://api.stripe.com'),
        }
      : { enabled: false },
  };
  return Object.freeze(settings);
}

/** The test provider is part of this process, so its secret is derived. */
function testWebhookSecret(sessionSecret: string): string {
  const digest = createHmac('sha256', sessionSecret)
    .update('webhooks of the test provider')
    .digest('base64url');
  return `whsec_${digest}`;
}
