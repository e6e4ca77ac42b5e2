import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebhookSource } from '../payments/incoming-payments.js';
import { WebhookIntake } from './webhook-intake.js';

/** Invoices of Stripe with many lines are larger than anything that we answer. */
const MAX_EVENT_BYTES = 512 * 1024;

const SIGNATURE_HEADERS: Record<WebhookSource, string> = {
  stripe: 'stripe-signature',
  test: 'tollgate-signature',
};

/** Where providers post their events. Whether one may is told by its signature, over the bytes as they came. */
@Injectable()
export class WebhookRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly intake: WebhookIntake,
  ) {}

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    // Not awaited: that would start the routes before Nest has set how errors are answered.
    void fastify.register(async (routes) => {
      // In here alone, bodies stay bytes.
      routes.removeAllContentTypeParsers();
      routes.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      for (const source of ['stripe', 'test'] as const) {
        routes.post(`/webhooks/${source}`, { bodyLimit: MAX_EVENT_BYTES }, (request, reply) =>
          this.take(source, request, reply),
        );
      }
    });
  }

  private async take(
    source: WebhookSource,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    // Node joins repeated headers by commas: a second signature would look like a second candidate.
    const signatures = request.raw.headersDistinct[SIGNATURE_HEADERS[source]] ?? [];
    const { status, outcome } = await this.intake.take(source, { signatures, body }, request.id);
    return reply.status(status).header('Cache-Control', 'no-store').send({ outcome });
  }
}
