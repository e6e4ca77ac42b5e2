import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.js';
import { documentPayerOf, type Payment, PointsMeter } from './points-meter.js';

/** Parsing and validating the largest document takes some 30 ms. */
const DOCUMENT_PRICE = 2;

/**
 * Charges each document to the address of its sender before it is parsed. The price is refunded once the operation was
 * paid for by its caller; documents that are invalid, too expensive or free keep it.
 */
@Injectable()
export class DocumentPrice {
  private readonly payments = new WeakMap<FastifyRequest, Payment>();

  constructor(private readonly meter: PointsMeter) {}

  /** @throws ApiError THROTTLED */
  async charge(request: FastifyRequest): Promise<void> {
    const payment = await this.meter.take(documentPayerOf(request.ip), DOCUMENT_PRICE);
    if (payment.allowed) return void this.payments.set(request, payment);
    const { retryAfterSeconds } = payment;
    const message = `Too many documents from this address that were invalid, or not paid for. Try again in ${retryAfterSeconds} s.`;
    const headers = { 'retry-after': String(retryAfterSeconds) };
    throw new ApiError('THROTTLED', message, { retryAfter: retryAfterSeconds }, { headers });
  }

  refund(request: FastifyRequest): void {
    const payment = this.payments.get(request);
    if (payment !== undefined) this.meter.adjust(payment, 0);
    this.payments.delete(request);
  }
}
