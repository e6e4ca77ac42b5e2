import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { originOf } from '../../../platform/http/http-server.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { TestBank } from '../payments/test-provider/test-bank.js';
import { TEST_CARDS } from '../payments/test-provider/test-cards.js';
import type { TestOrderRow } from '../payments/test-provider/test-orders.repository.js';
import { CARD_PAGE_PATH } from '../payments/test-provider/test-provider.js';
import { CARD_PAGE_CSS } from './card-page.css.js';
import { type CardPage, renderCardPage } from './card-page.html.js';
import { TestDeliveries } from './test-deliveries.js';

const STYLESHEET = `${CARD_PAGE_PATH}/page.css`;
const ORDER_ID = /^tpo_[0-9a-f]{32}$/;

type OrderRequest = FastifyRequest<{ Params: { id: string } }>;

/** The page on which test cards pay. Who knows its address may pay, as with the pages of any provider. */
@Injectable()
export class CardPageRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly bank: TestBank,
    private readonly deliveries: TestDeliveries,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    if (!this.config.payments.test.enabled) return;
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    // Not awaited: that would start the routes before Nest has set how errors are answered.
    void fastify.register(async (routes) => {
      routes.removeAllContentTypeParsers();
      routes.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string' },
        (_, body, done) => done(null, new URLSearchParams(String(body))),
      );
      routes.get(STYLESHEET, (_request, reply) =>
        reply
          .type('text/css; charset=utf-8')
          .header('Cache-Control', 'public, max-age=3600')
          .send(CARD_PAGE_CSS),
      );
      routes.get(`${CARD_PAGE_PATH}/:id`, (request: OrderRequest, reply) => this.show(request, reply));
      routes.post(`${CARD_PAGE_PATH}/:id`, (request: OrderRequest, reply) => this.pay(request, reply));
    });
  }

  private async show(request: OrderRequest, reply: FastifyReply): Promise<FastifyReply> {
    const order = await this.find(request.params.id);
    if (order === null) return send(reply, 404, { kind: 'missing' });
    if (order.card !== null) return send(reply, 200, { kind: 'paid', order });
    const number = TEST_CARDS[0]?.number ?? '';
    return send(reply, 200, { kind: 'open', order, refusal: null, number });
  }

  private async pay(request: OrderRequest, reply: FastifyReply): Promise<FastifyReply> {
    const order = await this.find(request.params.id);
    if (order === null) return send(reply, 404, { kind: 'missing' });
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const number = (form.get('number') ?? '').slice(0, 40);
    const verdict = await runInScope('all', () => this.bank.pay(order.id, number));
    if (!verdict.paid) return send(reply, 402, { kind: 'open', order, refusal: verdict.message, number });
    // Told before the browser is back, so that it finds there what was bought; what fails now, the job delivers.
    await runInScope('all', () => this.deliveries.deliver(order.tenantId));
    const { pathname, search } = new URL(order.returnUrl);
    const origin = originOf(request, this.config);
    const location = sameOriginUrl(origin, `${pathname}${search}`) ?? `${origin}/`;
    return reply.status(303).header('Location', location).send();
  }

  private find(id: string): Promise<TestOrderRow | null> {
    return ORDER_ID.test(id) ? runInScope('all', () => this.bank.findOrder(id)) : Promise.resolve(null);
  }
}

function send(reply: FastifyReply, status: number, page: CardPage): FastifyReply {
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(renderCardPage(page, STYLESHEET));
}
