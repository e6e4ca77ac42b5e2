import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.js';
import { GRAPHQL_STREAM_PATH } from '../../http/http-server.js';
import { countDocuments } from '../stream/additional-subscriptions.js';
import { documentPayerOf, type Payment, PointsMeter } from './points-meter.js';

/** Parsing and validating the largest document takes some 30 ms. */
const DOCUMENT_PRICE = 2;

interface Charged {
  payment: Payment;
  /** Documents whose operation was not yet paid for. */
  unpaid: number;
}

/**
 * Charges each document to the address of its sender before it is parsed. The price is refunded once the operations of all
 * documents of the request were paid for by their caller; documents that are invalid, too expensive or free keep it.
 */
@Injectable()
export class DocumentPrice {
  private readonly charged = new WeakMap<FastifyRequest, Charged>();

  constructor(private readonly meter: PointsMeter) {}

  /** @throws ApiError THROTTLED */
  async charge(request: FastifyRequest): Promise<void> {
    const documents = request.routeOptions.url === GRAPHQL_STREAM_PATH ? countDocuments(request.body) : 1;
    const payment = await this.meter.take(documentPayerOf(request.ip), documents * DOCUMENT_PRICE);
    if (payment.allowed) return void this.charged.set(request, { payment, unpaid: documents });
    const { retryAfterSeconds } = payment;
    const message = `Too many documents from this address that were invalid, or not paid for. Try again in ${retryAfterSeconds} s.`;
    const headers = { 'retry-after': String(retryAfterSeconds) };
    throw new ApiError('THROTTLED', message, { retryAfter: retryAfterSeconds }, { headers });
  }

  /** After the operation of one document was paid for. */
  settle(request: FastifyRequest): void {
    const charged = this.charged.get(request);
    if (charged === undefined) return;
    charged.unpaid -= 1;
    if (charged.unpaid > 0) return;
    this.meter.adjust(charged.payment, 0);
    this.charged.delete(request);
  }
}
