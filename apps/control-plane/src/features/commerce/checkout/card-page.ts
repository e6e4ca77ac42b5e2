import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { formatMoney } from '@tollgate/contracts';
import { type Brand, linkColors } from '@tollgate/contracts/brand';
import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { escapeHtml } from '../../../platform/http/console.routes.js';
import { originOf } from '../../../platform/http/http-server.js';
import { kindOfId } from '../../../platform/ids.js';
import { Installation } from '../../../platform/installation/installation.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import type { TestOrderRow, TestSavedCardRow } from '../payments/payments.repository.js';
import { CARD_PAGE_PATH, TEST_CARDS, TestBank } from '../payments/test-provider.js';
import { TestDeliveries } from './webhooks.js';

/** The style sheet of the card page, with the colors of the console: readable at 390 pixels and up, light and dark. */
const CARD_PAGE_CSS = `
:root {
  color-scheme: light dark;
  --page: #fbfcfc; --card: #ffffff; --text: #151a1b; --dim: #596364; --line: #e3e7e7; --field: #cfd5d5;
  --accent: #0b6b64; --accent-text: #ffffff; --bad: #a83b0c; --bad-page: #fff3ed; --good: #0b6b64; --note: #fef8e7; --note-text: #644605;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1011; --card: #121617; --text: #e4e9e9; --dim: #98a4a6; --line: #232a2b; --field: #374042;
    --accent: #49baa9; --accent-text: #06231f; --bad: #f98450; --bad-page: #2a1710; --good: #49baa9; --note: #1d1a10; --note-text: #efc653;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 40px 16px; background: var(--page); color: var(--text);
  font: 14px/1.5 "Geist Variable", ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif;
  -webkit-font-smoothing: antialiased;
}
main { max-width: 420px; margin: 0 auto; }
.panel { padding: 20px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.panel + .panel { margin-top: 16px; }
.brand {
  display: flex; gap: 10px; align-items: center; margin: 0 0 20px; font-size: 15px; font-weight: 600; overflow-wrap: anywhere;
}
.brand img { object-fit: contain; }
.notice { margin: 0 0 16px; padding: 8px 12px; border-radius: 8px; background: var(--note); color: var(--note-text); font-size: 13px; }
h1 { margin: 0; font-size: 15px; font-weight: 600; line-height: 1.4; overflow-wrap: anywhere; }
h2 { margin: 0 0 8px; font-size: 13px; font-weight: 600; }
.price { margin: 2px 0 0; font-size: 24px; font-weight: 600; letter-spacing: -0.015em; font-variant-numeric: tabular-nums; }
.price span { font-size: 14px; font-weight: 400; letter-spacing: 0; color: var(--dim); }
.panel form { margin-top: 18px; }
label { display: block; margin-bottom: 6px; font-weight: 500; font-size: 13px; }
input {
  width: 100%; min-height: 44px; padding: 8px 12px; border: 1px solid var(--field); border-radius: 6px;
  background: var(--page); color: var(--text); font: inherit; font-variant-numeric: tabular-nums; letter-spacing: 0.04em;
}
input[aria-invalid="true"] { border-color: var(--bad); }
button, .button {
  display: block; width: 100%; min-height: 44px; margin-top: 12px; padding: 10px 16px; border: 0; border-radius: 6px;
  background: var(--accent); color: var(--accent-text); font: inherit; font-weight: 500; text-align: center; text-decoration: none;
  cursor: pointer;
}
button.small {
  width: auto; min-width: 56px; margin: 0; padding: 6px 14px; background: transparent; color: var(--text); border: 1px solid var(--field);
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.cards { margin: 0; padding: 0; list-style: none; }
.cards li + li { border-top: 1px solid var(--line); }
.cards form { display: grid; grid-template-columns: 1fr auto; align-items: center; gap: 0 12px; margin: 0; padding: 10px 0; }
.cards li:last-child form { padding-bottom: 0; }
.cards button { grid-column: 2; grid-row: 1 / span 2; }
.number { grid-column: 1; grid-row: 1; font-variant-numeric: tabular-nums; }
.does { grid-column: 1; grid-row: 2; color: var(--dim); font-size: 13px; }
.back { margin: 20px 0 0; text-align: center; font-size: 13px; }
a { color: var(--accent); }
.refusal { margin: 0 0 12px; padding: 10px 12px; border-radius: 8px; background: var(--bad-page); color: var(--bad); font-size: 13px; }
.done { margin: 16px 0 0; color: var(--good); font-weight: 600; }
`;

export type ShownOrder = Pick<TestOrderRow, 'label' | 'amountMinor' | 'currency' | 'interval' | 'returnUrl'>;

export type CardPage =
  | { kind: 'open'; order: ShownOrder; refusal: string | null; number: string }
  | { kind: 'paid'; order: ShownOrder }
  | { kind: 'save'; returnUrl: string; refusal: string | null; number: string }
  | { kind: 'saved'; returnUrl: string }
  | { kind: 'missing' };

/** What the form of a page does with a card. */
interface CardForm {
  summary: string;
  submit: string;
  /** Before a card number. */
  verb: string;
  back: string;
  returnUrl: string;
  refusal: string | null;
  number: string;
}

/** The HTML document: one style sheet of Tollgate, no script, all values escaped. */
export function renderCardPage(page: CardPage, stylesheet: string, brand: Brand): string {
  const title =
    'order' in page ? `Pay ${page.order.label}` : page.kind === 'missing' ? 'No such order' : 'Save a card';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)} · ${escapeHtml(brand.productName)}</title>
<link rel="stylesheet" href="${stylesheet}">${accentStyle(brand)}
</head>
<body>
<main>
<p class="brand">${logoOf(brand)}${escapeHtml(brand.productName)}</p>
<p class="notice">Test payment. No money moves.</p>
${bodyOf(page)}
</main>
</body>
</html>
`;
}

function accentStyle({ accent }: Brand): string {
  if (accent === null) return '';
  const { light, dark } = linkColors(accent);
  const rule = (color: string) => `:root{--accent:${color}}`;
  return `\n<style>${rule(light)}@media (prefers-color-scheme: dark){${rule(dark)}}</style>`;
}

const logoOf = ({ logo }: Brand): string =>
  `<img src="${escapeHtml(logo ?? '/favicon.svg')}" width="28" height="28" alt="">`;

function bodyOf(page: CardPage): string {
  if (page.kind === 'missing')
    return '<section class="panel"><h1>No such order</h1><p>Its link may be incomplete. Order again in the portal.</p></section>';
  if (page.kind === 'saved') return doneOf('<h1>Save a card</h1>', 'Saved.', page.returnUrl);
  if (page.kind === 'save') {
    const summary = '<h1>Save a card</h1><p>Later purchases are charged to it without asking you again.</p>';
    return formOf({ ...page, summary, submit: 'Save card', verb: 'Save', back: 'Back without saving' });
  }
  const { order } = page;
  const summary = `<h1>${escapeHtml(order.label)}</h1>
<p class="price">${escapeHtml(priceOf(order))}<span>${intervalOf(order)}</span></p>`;
  if (page.kind === 'paid') return doneOf(summary, 'Paid.', order.returnUrl);
  return formOf({
    ...page,
    summary,
    submit: `Pay ${priceOf(order)}`,
    verb: 'Pay with',
    back: 'Back without paying',
    returnUrl: order.returnUrl,
  });
}

function doneOf(summary: string, done: string, returnUrl: string): string {
  return `<section class="panel">${summary}
<p class="done" role="status">${done}</p>
<a class="button" href="${escapeHtml(returnUrl)}">Back to the portal</a></section>`;
}

function formOf({ summary, submit, verb, back, returnUrl, refusal, number }: CardForm): string {
  const alert =
    refusal === null ? '' : `<p class="refusal" id="refusal" role="alert">${escapeHtml(refusal)}</p>`;
  const described = refusal === null ? '' : ' aria-invalid="true" aria-describedby="refusal"';
  return `<section class="panel">${summary}
<form method="post">
${alert}
<label for="number">Card number</label>
<input id="number" name="number" inputmode="numeric" autocomplete="off" maxlength="40" required value="${escapeHtml(number)}"${described}>
<button type="submit">${escapeHtml(submit)}</button>
</form></section>
<section class="panel">
<h2>Test cards</h2>
<ul class="cards">
${TEST_CARDS.map((card) => cardItem(card, verb)).join('\n')}
</ul></section>
<p class="back"><a href="${escapeHtml(returnUrl)}">${back}</a></p>`;
}

function cardItem({ number, does }: (typeof TEST_CARDS)[number], verb: string): string {
  return `<li><form method="post"><input type="hidden" name="number" value="${number}">
<span class="number">${number}</span><span class="does">${escapeHtml(does)}</span>
<button type="submit" class="small" aria-label="${verb} ${number}, which ${escapeHtml(does)}">Use</button></form></li>`;
}

function priceOf({ amountMinor, currency }: ShownOrder): string {
  return formatMoney(Number(amountMinor), currency);
}

function intervalOf({ interval }: ShownOrder): string {
  if (interval === null) return ' once';
  return interval === 'MONTH' ? ' a month, until you cancel' : ' a year, until you cancel';
}

const STYLESHEET = `${CARD_PAGE_PATH}/page.css`;

/** The font rules of the console's style sheet; the control plane serves the files too. Empty without the console. */
function readFontRules(consoleDir: string | undefined): string {
  if (consoleDir === undefined) return '';
  const html = readFileSync(path.join(consoleDir, 'index.html'), 'utf8');
  const sheets = [...html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g)].map(([, href = '']) =>
    readFileSync(path.join(consoleDir, href), 'utf8'),
  );
  return sheets.flatMap((sheet) => sheet.match(/@font-face ?\{[^}]*Geist Variable[^}]*\}/g) ?? []).join('\n');
}

const NUMBER = TEST_CARDS[0]?.number ?? '';

type OrderRequest = FastifyRequest<{ Params: { id: string } }>;

/** The payment page of test cards. Anyone with the URL can pay, as on the pages of other providers. */
@Injectable()
export class CardPageRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly bank: TestBank,
    private readonly deliveries: TestDeliveries,
    private readonly config: AppConfig,
    private readonly installation: Installation,
  ) {}

  onModuleInit(): void {
    if (!this.config.payments.test.enabled) return;
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    const css = `${readFontRules(this.config.consoleDir)}${CARD_PAGE_CSS}`;
    // Not awaited: otherwise the routes would start before Nest has installed its error handler.
    void fastify.register(async (routes) => {
      routes.removeAllContentTypeParsers();
      routes.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string' },
        (_, body, done) => done(null, new URLSearchParams(String(body))),
      );
      routes.get(STYLESHEET, (_request, reply) =>
        reply.type('text/css; charset=utf-8').header('Cache-Control', 'public, max-age=3600').send(css),
      );
      routes.get(`${CARD_PAGE_PATH}/:id`, (request: OrderRequest, reply) => this.show(request, reply));
      routes.post(`${CARD_PAGE_PATH}/:id`, (request: OrderRequest, reply) => this.pay(request, reply));
    });
  }

  private async show(request: OrderRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { order, card } = await this.find(request.params.id);
    if (card !== null) {
      const { returnUrl } = card;
      const open = { kind: 'save', returnUrl, refusal: null, number: NUMBER } as const;
      return this.send(reply, 200, card.card === null ? open : { kind: 'saved', returnUrl });
    }
    if (order === null) return this.send(reply, 404, { kind: 'missing' });
    if (order.card !== null) return this.send(reply, 200, { kind: 'paid', order });
    return this.send(reply, 200, { kind: 'open', order, refusal: null, number: NUMBER });
  }

  private async pay(request: OrderRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { order, card } = await this.find(request.params.id);
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const number = (form.get('number') ?? '').slice(0, 40);
    if (card !== null) {
      const refusal = await runInScope('all', () => this.bank.saveCard(card.id, number));
      const { returnUrl } = card;
      return refusal === null
        ? this.goBack(request, reply, returnUrl)
        : this.send(reply, 402, { kind: 'save', returnUrl, refusal, number });
    }
    if (order === null) return this.send(reply, 404, { kind: 'missing' });
    const verdict = await runInScope('all', () => this.bank.pay(order.id, number));
    if (!verdict.paid)
      return this.send(reply, 402, { kind: 'open', order, refusal: verdict.message, number });
    // Deliver before the redirect, so that the console shows the payment; the job retries failed deliveries.
    await runInScope('all', () => this.deliveries.deliver(order.tenantId));
    return this.goBack(request, reply, order.returnUrl);
  }

  private goBack(request: OrderRequest, reply: FastifyReply, returnUrl: string): FastifyReply {
    const { pathname, search } = new URL(returnUrl);
    const origin = originOf(request, this.config);
    const location = sameOriginUrl(origin, `${pathname}${search}`) ?? `${origin}/`;
    return reply.status(303).header('Location', location).send();
  }

  /** The order to pay, or the card to save. */
  private find(id: string): Promise<{ order: TestOrderRow | null; card: TestSavedCardRow | null }> {
    return runInScope('all', async () => ({
      order: kindOfId(id) === 'testOrder' ? await this.bank.findOrder(id) : null,
      card: kindOfId(id) === 'testSavedCard' ? await this.bank.findCard(id) : null,
    }));
  }

  private send(reply: FastifyReply, status: number, page: CardPage): FastifyReply {
    return reply
      .status(status)
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .send(renderCardPage(page, STYLESHEET, this.installation.brand));
  }
}
