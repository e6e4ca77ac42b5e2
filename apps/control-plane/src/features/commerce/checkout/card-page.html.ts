import { formatMoney } from '@tollgate/contracts';
import { escapeHtml } from '../../../platform/http/console.routes.js';
import { TEST_CARDS } from '../payments/test-provider/test-cards.js';
import type { TestOrderRow } from '../payments/test-provider/test-orders.repository.js';

/** What of an order its page shows. */
export type ShownOrder = Pick<TestOrderRow, 'label' | 'amountMinor' | 'currency' | 'interval' | 'returnUrl'>;

export type CardPage =
  | { kind: 'open'; order: ShownOrder; refusal: string | null; number: string }
  | { kind: 'paid'; order: ShownOrder }
  | { kind: 'missing' };

/** The page as a whole document. Its only style is a sheet of ours, it runs no script, and all it shows is escaped. */
export function renderCardPage(page: CardPage, stylesheet: string): string {
  const title = page.kind === 'missing' ? 'No such order' : `Pay ${page.order.label}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)} · Tollgate</title>
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
<main>
<p class="notice">Test payment. No money moves.</p>
${bodyOf(page)}
</main>
</body>
</html>
`;
}

function bodyOf(page: CardPage): string {
  if (page.kind === 'missing')
    return '<h1>No such order</h1><p>Its link may be incomplete. Order again in the console.</p>';
  const { order } = page;
  const summary = `<h1>${escapeHtml(order.label)}</h1>
<p class="price">${escapeHtml(priceOf(order))}<span>${intervalOf(order)}</span></p>`;
  const back = escapeHtml(order.returnUrl);
  if (page.kind === 'paid') {
    return `${summary}\n<p class="done" role="status">Paid.</p>\n<p><a class="button" href="${back}">Back to the console</a></p>`;
  }
  const alert =
    page.refusal === null
      ? ''
      : `<p class="refusal" id="refusal" role="alert">${escapeHtml(page.refusal)}</p>`;
  const described = page.refusal === null ? '' : ' aria-invalid="true" aria-describedby="refusal"';
  return `${summary}
<form method="post">
${alert}
<label for="number">Card number</label>
<input id="number" name="number" inputmode="numeric" autocomplete="off" maxlength="40" required value="${escapeHtml(page.number)}"${described}>
<button type="submit">Pay ${escapeHtml(priceOf(order))}</button>
</form>
<h2>Test cards</h2>
<ul class="cards">
${TEST_CARDS.map(cardItem).join('\n')}
</ul>
<p><a href="${back}">Back without paying</a></p>`;
}

function cardItem({ number, does }: (typeof TEST_CARDS)[number]): string {
  return `<li><form method="post"><input type="hidden" name="number" value="${number}">
<span class="number">${number}</span><span class="does">${escapeHtml(does)}</span>
<button type="submit" class="small" aria-label="Pay with ${number}, which ${escapeHtml(does)}">Use</button></form></li>`;
}

function priceOf({ amountMinor, currency }: ShownOrder): string {
  return formatMoney(Number(amountMinor), currency);
}

function intervalOf({ interval }: ShownOrder): string {
  if (interval === null) return ' once';
  return interval === 'MONTH' ? ' a month, until you stop it' : ' a year, until you stop it';
}
