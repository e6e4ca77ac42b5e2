import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Fields = Record<string, string>;
type Answer = [status: number, body: object];

export interface StripeCall {
  method: string;
  path: string;
  /** Flat form fields: `line_items[0][price_data][currency]`. */
  fields: Fields;
  headers: IncomingMessage['headers'];
}

/**
 * Implements Stripe's API over HTTP: form requests, stored idempotent responses, Stripe's errors, required version and
 * key. Unknown objects return 404 `resource_missing`.
 */
export class FakeStripe {
  readonly calls: StripeCall[] = [];
  /** Objects by id. */
  readonly objects = new Map<string, object>();
  /** Responses of the next calls. */
  readonly failures: Answer[] = [];
  /** Paths that never respond. */
  silent: RegExp | null = null;
  /** Paths that return 500 and tell clients not to retry. */
  broken: RegExp | null = null;
  private readonly replies = new Map<string, { digest: string; answer: Answer }>();
  private server: Server | undefined;
  private count = 0;

  async start(): Promise<string> {
    this.server = createServer((request, response) => void this.handle(request, response)).listen(
      0,
      '127.0.0.1',
    );
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** Ends open connections without a response. */
  hangUp(): void {
    this.server?.closeAllConnections();
  }

  /** Oldest first. */
  callsTo(path: string): StripeCall[] {
    return this.calls.filter((call) => call.path === path);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://stripe');
    const text = Buffer.concat(chunks).toString();
    const form = request.method === 'GET' ? url.searchParams : new URLSearchParams(text);
    const call = {
      method: request.method ?? 'GET',
      path: url.pathname,
      fields: Object.fromEntries(form),
      headers: request.headers,
    };
    this.calls.push(call);
    if (this.silent?.test(call.path)) return;
    const [status, body] = this.failures.shift() ?? this.answer(call, text);
    if (this.broken?.test(call.path)) response.setHeader('stripe-should-retry', 'false');
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${randomUUID()}` });
    response.end(JSON.stringify(body));
  }

  private answer(call: StripeCall, text: string): Answer {
    if (this.broken?.test(call.path)) return failure(500, 'api_error', 'Out of order');
    const { authorization, 'idempotency-key': key, 'content-type': type } = call.headers;
    if (!/^Bearer sk_test_\w+$/.test(authorization ?? '')) {
      return failure(401, 'invalid_request_error', 'Invalid API Key provided');
    }
    if (call.headers['stripe-version'] === undefined)
      return failure(400, 'invalid_request_error', 'No version');
    if (call.method === 'POST' && !type?.startsWith('application/x-www-form-urlencoded')) {
      return failure(400, 'invalid_request_error', 'Bodies are forms');
    }
    if (call.method !== 'POST' || typeof key !== 'string') return this.route(call);
    const digest = createHash('sha256').update(`${call.path} ${text}`).digest('hex');
    const known = this.replies.get(key);
    if (known === undefined) {
      const answer = this.route(call);
      this.replies.set(key, { digest, answer });
      return answer;
    }
    return known.digest === digest
      ? known.answer
      : failure(
          400,
          'idempotency_error',
          'Keys for idempotent requests can only be used with the same parameters',
        );
  }

  private route({ method, path, fields }: StripeCall): Answer {
    const [, , ...parts] = path.split('/');
    const [kind, id, action] = parts;
    if (method === 'POST' && path === '/v1/customers')
      return this.create('cus', { object: 'customer', ...fields });
    if (method === 'POST' && path === '/v1/checkout/sessions') return this.createSession(fields);
    if (method === 'POST' && path === '/v1/billing_portal/sessions') {
      return this.create('bps', { object: 'billing_portal.session', url: 'https://billing.stripe.test/p/1' });
    }
    if (method === 'POST' && path === '/v1/payment_intents') return this.createIntent(fields);
    if (kind === 'payment_intents' && action === 'cancel') return this.change(id, { status: 'canceled' });
    if (kind === 'customers' && action === 'payment_methods') return this.listCards(id);
    if (path === '/v1/refunds') {
      if (method === 'GET') return this.listRefunds(fields);
      return this.create('re', {
        ...{ object: 'refund', status: 'succeeded', ...fields, amount: Number(fields.amount) },
      });
    }
    if (method === 'GET' && kind === 'invoice_payments') return this.listInvoicePayments(fields);
    if (kind === 'checkout' && parts[3] === 'expire') return this.change(parts[2], { status: 'expired' });
    if (kind === 'subscriptions' && method === 'DELETE') return this.change(id, { status: 'canceled' });
    if (kind === 'subscriptions' && method === 'POST') {
      return this.change(id, { cancel_at_period_end: fields.cancel_at_period_end === 'true' });
    }
    if (method === 'GET' && id !== undefined && action === undefined) return this.change(id, {});
    return failure(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path})`);
  }

  /** A confirmed payment with a saved card. Card `pm_declined` is declined. */
  private createIntent(fields: Fields): Answer {
    const { payment_method: card = '', customer, amount, currency, off_session, confirm } = fields;
    const saved = this.objects.get(card) as { customer: string } | undefined;
    if (off_session !== 'true' || confirm !== 'true' || saved?.customer !== customer)
      return failure(404, 'invalid_request_error', `No such PaymentMethod: '${card}'`, 'resource_missing');
    if (card === 'pm_declined') return failure(402, 'card_error', 'Your card was declined.', 'card_declined');
    return this.create('pi', {
      object: 'payment_intent',
      status: 'succeeded',
      created: Math.floor(Date.now() / 1000),
      amount: Number(amount),
      amount_received: Number(amount),
      currency,
      customer,
      metadata: Object.fromEntries(
        Object.entries(fields).flatMap(([name, value]) => {
          const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
          return key === undefined ? [] : [[key, value]];
        }),
      ),
    });
  }

  private listCards(customer: string | undefined): Answer {
    const data = [...this.objects.values()].filter((object) => {
      const card = object as { object: string; customer: string };
      return card.object === 'payment_method' && card.customer === customer;
    });
    return [200, { object: 'list', url: '/v1/payment_methods', has_more: false, data }];
  }

  private createSession(fields: Fields): Answer {
    const isUsable =
      fields.success_url !== undefined &&
      (fields.mode === 'setup' || fields['line_items[0][price_data][unit_amount]'] !== undefined);
    if (!isUsable)
      return failure(
        400,
        'invalid_request_error',
        'Missing required param: line_items.',
        'parameter_missing',
      );
    return this.create('cs_test', {
      object: 'checkout.session',
      url: `https://checkout.stripe.test/c/${this.count}`,
      mode: fields.mode,
      customer: fields.customer,
      client_reference_id: fields.client_reference_id,
      status: 'open',
      payment_status: 'unpaid',
    });
  }

  private listRefunds({ payment_intent }: Fields): Answer {
    const data = [...this.objects.values()].filter((object) => {
      const refund = object as { object: string; payment_intent: string };
      return refund.object === 'refund' && refund.payment_intent === payment_intent;
    });
    return [200, { object: 'list', url: '/v1/refunds', has_more: false, data }];
  }

  private listInvoicePayments(fields: Fields): Answer {
    const data = [...this.objects.values()].filter((object) => {
      const payment = object as { object: string; invoice: string; payment: { payment_intent: string } };
      if (payment.object !== 'invoice_payment') return false;
      const intent = fields['payment[payment_intent]'];
      return intent === undefined
        ? payment.invoice === fields.invoice
        : payment.payment.payment_intent === intent;
    });
    return [200, { object: 'list', url: '/v1/invoice_payments', has_more: false, data }];
  }

  private create(prefix: string, object: object): Answer {
    this.count += 1;
    const id = `${prefix}_${this.count.toString().padStart(14, '0')}`;
    this.objects.set(id, { id, ...object });
    return [200, this.objects.get(id) as object];
  }

  private change(id: string | undefined, change: object): Answer {
    const object = this.objects.get(id ?? '');
    if (object === undefined) {
      return failure(404, 'invalid_request_error', `No such object: '${id}'`, 'resource_missing');
    }
    this.objects.set(id ?? '', { ...object, ...change });
    return [200, { ...object, ...change }];
  }
}

function failure(status: number, type: string, message: string, code?: string): Answer {
  return [status, { error: { type, message, ...(code === undefined ? {} : { code }) } }];
}
