import { Controller, Get, Injectable, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { actorOfRequest } from '../../../platform/access/permission.guard.js';
import { RequirePermissionInSomeTenant } from '../../../platform/access/require-permission.decorator.js';
import { ApiError, foreignOrigin } from '../../../platform/api-error.js';
import { addPeriods } from '../../../platform/clock.js';
import { PointsMeter, payerOf, tenantPayerOf } from '../../../platform/graphql/cost/points-meter.js';
import { ConcurrentWork } from '../../../platform/http/concurrent-work.js';
import { allowedOrigins, isForeign } from '../../../platform/http/http-server.js';
import { kindOfId } from '../../../platform/ids.js';
import { Installation } from '../../../platform/installation/installation.js';
import { Log } from '../../../platform/log.js';
import { type InvoiceRow, InvoicesRepository } from '../payments/invoices.repository.js';
import { BillingDetailsRepository } from '../payments/payments.repository.js';
import { foldPurchase, orderOf } from '../purchases/purchase.fold.js';
import { PurchasesRepository, type PurchaseWithTenant } from '../purchases/purchases.repository.js';
import {
  type BillingDocument,
  type Buyer,
  buyerSchema,
  formatDate,
  formatPeriod,
  lineOf,
  type Seller,
  sellerSchema,
  totalsOf,
} from './document.js';
import type { Letterhead } from './pdf.js';
import { renderOnThread } from './pdf-thread.js';

const BUSY = 'Other documents are being created. Try again.';

const notFound = () => new ApiError('NOT_FOUND', 'Document not found.');

/** The content of invoices and receipts; rows of other tenants are not found. */
@Injectable()
export class BillingDocuments {
  constructor(
    private readonly invoices: InvoicesRepository,
    private readonly purchases: PurchasesRepository,
    private readonly details: BillingDetailsRepository,
    private readonly installation: Installation,
  ) {}

  /** Parties as frozen at issue, else the current ones. @throws ApiError NOT_FOUND */
  async ofInvoice(id: string): Promise<BillingDocument> {
    const invoice = kindOfId(id) === 'invoice' ? await this.invoices.findById(id) : null;
    const purchase = invoice === null ? null : await this.purchases.findById(invoice.purchaseId);
    if (invoice === null || purchase === null) throw notFound();
    const { tenant } = purchase;
    const { number, status, issuedAt, dueAt, closedAt, reference, currency } = invoice;
    const frozenSeller = sellerSchema.safeParse(invoice.seller);
    const frozenBuyer = buyerSchema.safeParse(invoice.buyer);
    const seller = frozenSeller.success ? frozenSeller.data : this.currentSeller();
    const buyer = frozenBuyer.success ? frozenBuyer.data : await this.currentBuyer(purchase);
    const date = (at: Date) => formatDate(at, tenant.timeZone);
    const price = { amountMinor: Number(invoice.amountMinor), currency };
    return {
      tenantKey: tenant.key,
      title: `Invoice ${number}`,
      facts: [
        ['Issued', date(issuedAt)],
        ['Due', date(dueAt)],
        ...(status === 'PAID' && closedAt !== null ? [['Paid', date(closedAt)] as [string, string]] : []),
        ...(reference === null ? [] : [['Reference', reference] as [string, string]]),
      ],
      seller,
      buyer,
      lines: [lineOf(price, purchase, periodOf(invoice, purchase))],
      totals: totalsOf(price, seller),
      note: seller.invoiceNote,
      stamp: status === 'VOID' ? 'VOID' : null,
    };
  }

  /** @param ref reference of the payment at its provider @throws ApiError NOT_FOUND */
  async ofPayment(purchaseId: string, ref: string): Promise<BillingDocument> {
    const purchase = kindOfId(purchaseId) === 'purchase' ? await this.purchases.findById(purchaseId) : null;
    if (purchase === null) throw notFound();
    const { payments, spans } = foldPurchase(orderOf(purchase), await this.purchases.listEvents(purchase.id));
    const payment = payments.find((one) => one.ref === ref);
    if (payment === undefined) throw notFound();
    const span = spans.find((one) => one.payment === ref);
    const { key: tenantKey, timeZone } = purchase.tenant;
    const seller = this.currentSeller();
    const refunded = payment.refundedMinor + (payment.isDisputeLost ? payment.disputedMinor : 0);
    const totals = totalsOf(payment, seller);
    if (refunded > 0) {
      const [, refund = ''] =
        totalsOf({ ...payment, amountMinor: refunded }, { taxLabel: '', taxBasisPoints: 0 })[0] ?? [];
      totals.push(['Refunded', refund]);
    }
    return {
      tenantKey,
      title: 'Receipt',
      facts: [
        ['Paid', formatDate(payment.at, timeZone)],
        ['Payment', ref],
      ],
      seller,
      buyer: await this.currentBuyer(purchase),
      lines: [
        lineOf(
          payment,
          purchase,
          span === undefined ? '' : formatPeriod(span.startsAt, span.endsAt, timeZone),
        ),
      ],
      totals,
      note: seller.invoiceNote,
      stamp: null,
    };
  }

  private currentSeller(): Seller {
    return sellerSchema.parse(this.installation.current);
  }

  private async currentBuyer({ tenant }: PurchaseWithTenant): Promise<Buyer> {
    const found = await this.details.find(tenant.key);
    return { ...buyerSchema.parse(found ?? EMPTY), name: found?.name || tenant.name };
  }
}

const EMPTY: Buyer = { name: '', address: '', taxId: '', email: '' };

/** The renewed period of a renewal; for the order itself the interval only, because it begins with the payment. */
function periodOf(
  { period, dueAt }: InvoiceRow,
  { interval, validDays, tenant }: PurchaseWithTenant,
): string {
  if (interval === null) return validDays === null ? '' : `Valid for ${validDays} days from payment`;
  if (period === 0) return `First ${interval.toLowerCase()}, from payment`;
  return formatPeriod(dueAt, addPeriods(dueAt, { interval }, 1), tenant.timeZone);
}

/** Documents that are created at once, each on a thread. */
const AT_ONCE = { total: 4, perOwner: 2 };

/** Of the person or token, and of the tenant. */
const PRICE = 20;

/** PDFs of invoices (`/api/invoices/inv_….pdf`) and of payments (`/api/receipts/pur_….pdf?payment=…`). */
@Controller('api')
export class DocumentsController {
  private readonly allowed: string[];
  private readonly requests = new ConcurrentWork(AT_ONCE, BUSY);
  private readonly rendering = new ConcurrentWork(AT_ONCE, BUSY);

  constructor(
    private readonly documents: BillingDocuments,
    private readonly installation: Installation,
    private readonly meter: PointsMeter,
    private readonly log: Log,
    config: AppConfig,
  ) {
    this.allowed = allowedOrigins(config);
  }

  @RequirePermissionInSomeTenant('purchases:read')
  @Get('invoices/:file')
  invoice(@Param('file') file: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.send(request, reply, () => this.documents.ofInvoice(idIn(file)));
  }

  @RequirePermissionInSomeTenant('purchases:read')
  @Get('receipts/:file')
  receipt(
    @Param('file') file: string,
    @Query('payment') payment: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.send(request, reply, () => this.documents.ofPayment(idIn(file), String(payment)));
  }

  private async send(
    request: FastifyRequest,
    reply: FastifyReply,
    find: () => Promise<BillingDocument>,
  ): Promise<void> {
    if (isForeign(request, this.allowed)) throw foreignOrigin();
    const payer = payerOf(await actorOfRequest(request), request.ip);
    await this.meter.charge([payer], PRICE);
    await this.requests.run([`${payer.kind} ${payer.keyValue}`], async () => {
      const content = await find();
      await this.meter.charge([tenantPayerOf(content.tenantKey)], PRICE);
      const { productName, accent, logo } = this.installation.current;
      const letterhead = { productName, accent: accent ?? '#0b6b64', logo };
      const pdf = await this.rendering.run([content.tenantKey], () => this.render(content, letterhead));
      const name = content.title.toLowerCase().replaceAll(' ', '-');
      await reply
        .header('Cache-Control', 'private, no-store')
        .header('Content-Disposition', `inline; filename="${name}.pdf"`)
        .type('application/pdf')
        .send(pdf);
    });
  }

  /** @throws ApiError INTERNAL for this document only */
  private async render(content: BillingDocument, letterhead: Letterhead): Promise<Buffer> {
    try {
      return await renderOnThread(content, letterhead);
    } catch (error) {
      this.log.error({ err: error, document: content.title }, 'document not created');
      throw new ApiError(
        'INTERNAL',
        'This document could not be created. Try again. If it fails again, report the request id.',
      );
    }
  }
}

/** @throws ApiError NOT_FOUND */
function idIn(file: string): string {
  if (!file.endsWith('.pdf')) throw notFound();
  return file.slice(0, -'.pdf'.length);
}
