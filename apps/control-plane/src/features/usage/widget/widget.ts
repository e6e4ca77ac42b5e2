import { Controller, Get, Injectable, Query, Req, Res } from '@nestjs/common';
import { InputType, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import { type Brand, linkColors } from '@tollgate/contracts/brand';
import { dimensionsInWords, limitTitle, perSpan } from '@tollgate/contracts/limit-title';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import {
  Anonymous,
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { ApiError } from '../../../platform/api-error.js';
import { notFound, optionalNote, orDefault, parseInput } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { createGraphqlContext } from '../../../platform/graphql/context.js';
import { PointsMeter, tenantPayerOf, widgetPayerOf } from '../../../platform/graphql/cost/points-meter.js';
import { Input, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { ConcurrentWork } from '../../../platform/http/concurrent-work.js';
import { escapeHtml } from '../../../platform/http/console.routes.js';
import { Installation } from '../../../platform/installation/installation.js';
import { SealedSecrets } from '../../../platform/secrets.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { TenantsRepository } from '../../customers/index.js';
import { type PolicyUtilization, UtilizationService } from '../utilization/utilization.service.js';

export const WIDGET_THEMES = ['auto', 'light', 'dark'] as const;
export type WidgetTheme = (typeof WIDGET_THEMES)[number];

const LIGHT =
  '--page:#fff;--text:#151a1b;--soft:#596364;--track:#e3e7e7;--fill:#12857a;--warn:#a37509;--full:#ca4c14';
const DARK =
  '--page:#121617;--text:#e4e9e9;--soft:#98a4a6;--track:#2b3335;--fill:#49baa9;--warn:#e2ae2a;--full:#f98450';

/** The page of the widget. The token stays in its address; the script reads it there. */
export function renderWidgetPage(brand: Brand, theme: WidgetTheme): string {
  const fills = brand.accent === null ? undefined : linkColors(brand.accent);
  const colors = {
    light: fills === undefined ? LIGHT : `${LIGHT};--fill:${fills.light}`,
    dark: fills === undefined ? DARK : `${DARK};--fill:${fills.dark}`,
  };
  const dark = `@media (prefers-color-scheme: dark){:root{${colors.dark}}}`;
  const scheme = theme === 'auto' ? 'light dark' : theme;
  const name = escapeHtml(brand.productName);
  const logo =
    brand.logo === null ? '' : `<img src="${escapeHtml(brand.logo)}" width="18" height="18" alt="">`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Usage · ${name}</title>
<style>:root{color-scheme:${scheme};${theme === 'dark' ? colors.dark : colors.light}}${theme === 'auto' ? dark : ''}
body{margin:0;padding:12px;background:var(--page);color:var(--text);font:13px/1.45 system-ui,sans-serif}
header{display:flex;gap:8px;align-items:center;margin-bottom:10px;font-weight:600;overflow-wrap:anywhere}
h1{margin:0;font-size:13px}ul{list-style:none;margin:0;padding:0}li{margin:0 0 12px}
.row{display:flex;justify-content:space-between;gap:12px}.name{font-weight:500;overflow-wrap:anywhere}
.value{white-space:nowrap;font-variant-numeric:tabular-nums}.note,#state{margin:0;color:var(--soft);font-size:12px}
.track{height:7px;margin:5px 0;border-radius:4px;overflow:hidden;background:var(--track)}
.track i{display:block;height:100%;background:var(--fill)}.track.warn i{background:var(--warn)}.track.full i{background:var(--full)}
</style></head><body><main><header>${logo}<h1>Usage</h1></header>
<ul id="limits" aria-label="Limits"></ul><p id="state" role="status">Loading…</p></main>
<script src="/embed/usage.js"></script></body></html>`;
}

/** The script of the widget: reads the limits every 10 s and asks the embedding page for a new token in time. */
export const WIDGET_SCRIPT = `(() => {
  'use strict';
  const EVERY_MS = 10000, BEFORE_MS = 60000;
  const list = document.getElementById('limits'), state = document.getElementById('state');
  const query = new URLSearchParams(location.search);
  let token = query.get('token') || '', asked = '', timer;
  const number = new Intl.NumberFormat('en');
  const add = (parent, tag, name, text) => {
    const element = parent.appendChild(document.createElement(tag));
    if (name) element.className = name;
    if (text) element.textContent = text;
    return element;
  };
  const ask = () => {
    if (parent === window || asked === token) return;
    asked = token;
    parent.postMessage({ type: 'tollgate:token-needed' }, '*');
  };
  const show = (limits, timeZone) => {
    list.replaceChildren();
    for (const { name, used, limit, percent, resetsAt } of limits) {
      const item = add(list, 'li');
      const row = add(item, 'div', 'row');
      add(row, 'span', 'name', name);
      add(row, 'span', 'value', number.format(used) + ' of ' + number.format(limit));
      const track = add(item, 'div', 'track' + (percent >= 100 ? ' full' : percent >= 80 ? ' warn' : ''));
      const marks = { role: 'meter', 'aria-label': name, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent };
      for (const [key, value] of Object.entries(marks)) track.setAttribute(key, String(value));
      add(track, 'i').style.width = percent + '%';
      const resets = resetsAt && new Date(resetsAt).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
      add(item, 'p', 'note', percent + ' %' + (resets ? ' · resets ' + resets : ''));
    }
    state.textContent = limits.length === 0 ? 'No limits to show.' : '';
  };
  const expire = () => {
    list.replaceChildren();
    state.textContent = 'This view has expired. Reload the page.';
    ask();
  };
  const load = async () => {
    clearTimeout(timer);
    const sent = token;
    try {
      const answer = await fetch('/embed/usage/data', { headers: { authorization: 'Bearer ' + sent }, cache: 'no-store' });
      if (sent !== token) return;
      if (answer.status === 401) return expire();
      if (!answer.ok) throw new Error(String(answer.status));
      const { limits, timeZone, expiresAt } = await answer.json();
      show(limits, timeZone);
      const leftMs = new Date(expiresAt) - Date.now();
      if (leftMs < BEFORE_MS) ask();
      timer = setTimeout(load, Math.max(1000, Math.min(EVERY_MS, leftMs)));
    } catch {
      state.textContent = 'Usage is unavailable. Trying again…';
      timer = setTimeout(load, EVERY_MS);
    }
  };
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || !data || data.type !== 'tollgate:token' || typeof data.token !== 'string') return;
    token = data.token;
    load();
  });
  load();
})();
`;

const MAX_LIFETIME_SECONDS = 3600;
const MAX_LIMITS = 20;

const createSchema = z.object({
  tenantKey: z.string().meta({ description: 'Key of the tenant.' }),
  limits: z
    .array(z.string().max(200))
    .max(MAX_LIMITS, `At most ${MAX_LIMITS} limits`)
    .nullish()
    .meta({ description: 'Limits to show, as `api/limit`; all without.' }),
  lifetimeSeconds: orDefault(
    z.int().min(60, 'At least 60').max(MAX_LIFETIME_SECONDS, `At most ${MAX_LIFETIME_SECONDS}`),
    MAX_LIFETIME_SECONDS,
  ).meta({ description: 'Lifetime in seconds, 60 to 3600; 3600 by default.' }),
  reason: optionalNote,
});

@InputType({ description: 'What a usage widget shows, and for how long.' })
export class UsageWidgetTokenCreateInput extends InputOf(createSchema, MutationInput) {}

@ObjectType({ description: 'A token of a usage widget.' })
export class UsageWidgetTokenPayload extends ObjectOf(MutationPayload, {
  token: field.string('The token; null after an error or a dry run.').nullable(),
  url: field.string('URL for the `src` of an iframe.').nullable(),
  expiresAt: field.dateTime('When the token expires.').nullable(),
}) {}

const contentSchema = z.object({
  tenantId: z.string(),
  tenantKey: z.string(),
  limits: z.array(z.string()).nullable(),
  expiresAtMs: z.int(),
});
type TokenContent = z.infer<typeof contentSchema>;

const BINDING = { purpose: 'usage widget', id: 'token' } as const;

/** Tokens of the usage widget: sealed with `ENCRYPTION_SECRETS`, so that rotating those rotates the key. */
@Injectable()
export class WidgetTokens {
  constructor(
    private readonly secrets: SealedSecrets,
    private readonly clock: Clock,
  ) {}

  issue(content: TokenContent): string {
    return Buffer.from(this.secrets.seal(BINDING, JSON.stringify(content))).toString('base64url');
  }

  /** Undefined for an expired, changed or foreign token. */
  read(token: string): TokenContent | undefined {
    try {
      const sealed = Buffer.from(token.slice(0, 8192), 'base64url').toString();
      const content = contentSchema.parse(JSON.parse(this.secrets.open(BINDING, sealed)));
      return content.expiresAtMs > this.clock.now().getTime() ? content : undefined;
    } catch {
      return undefined;
    }
  }
}

@Resolver()
export class WidgetResolver {
  constructor(
    private readonly tokens: WidgetTokens,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  @RequireTenantPermission('usage:read', 'input.tenantKey')
  @Mutation(() => UsageWidgetTokenPayload, {
    name: 'usageWidgetTokenCreate',
    description: 'Creates a token of the usage widget for one tenant. Nothing is stored.',
  })
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: UsageWidgetTokenCreateInput,
  ): Promise<UsageWidgetTokenPayload> {
    const none = { token: null, url: null, expiresAt: null };
    const parsed = parseInput(createSchema, input);
    if (!parsed.ok) return { ...none, userErrors: parsed.errors };
    const { tenantKey, limits, lifetimeSeconds } = parsed.data;
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return { ...none, userErrors: [notFound(['tenantKey'], `tenant "${tenantKey}"`)] };
    if (caller.dryRun === true) return { ...none, userErrors: [] };
    const expiresAtMs = this.clock.now().getTime() + lifetimeSeconds * 1000;
    const token = this.tokens.issue({ tenantId: tenant.id, tenantKey, limits: limits ?? null, expiresAtMs });
    const url = `${this.config.publicOrigin}/embed/usage?token=${token}`;
    return { token, url, expiresAt: new Date(expiresAtMs), userErrors: [] };
  }
}

/** Tenants whose limits are read at once. */
const MAX_AT_ONCE = 8;

/** A widget reads every 10 s, so all widgets of a tenant may share what one of them has read. */
const KEPT_MS = 5000;

const MAX_KEPT_TENANTS = 1000;

type Shown = Pick<PolicyUtilization, 'apiKey' | 'limitName'> & { shown: ReturnType<typeof showLimit> };

interface TenantUsage {
  timeZone: string;
  limits: Shown[];
}

/** The limits of tenants, each read at most once every five seconds and never twice at once. */
@Injectable()
export class WidgetUsage {
  private readonly reads = new ConcurrentWork(
    { total: MAX_AT_ONCE, perOwner: 1 },
    'Too many widgets are loading. Try again.',
  );
  private readonly kept = new Map<string, { untilMs: number; usage: Promise<TenantUsage> }>();

  constructor(
    private readonly utilization: UtilizationService,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError OVERLOADED */
  get(request: FastifyRequest, tenantId: string, tenantKey: string): Promise<TenantUsage> {
    const id = `${tenantId} ${tenantKey}`;
    const nowMs = this.clock.now().getTime();
    const known = this.kept.get(id);
    if (known !== undefined && known.untilMs > nowMs) return known.usage;
    const usage = this.reads.run([id], () =>
      runInScope([tenantId], () => this.read(request, tenantId, tenantKey)),
    );
    const entry = { untilMs: Number.POSITIVE_INFINITY, usage };
    this.keep(id, entry);
    usage.then(
      () => {
        entry.untilMs = this.clock.now().getTime() + KEPT_MS;
      },
      () => this.kept.delete(id),
    );
    return usage;
  }

  private keep(id: string, entry: { untilMs: number; usage: Promise<TenantUsage> }): void {
    this.kept.delete(id);
    this.kept.set(id, entry);
    const [oldest] = this.kept.keys();
    if (oldest !== undefined && this.kept.size > MAX_KEPT_TENANTS) this.kept.delete(oldest);
  }

  private async read(request: FastifyRequest, tenantId: string, tenantKey: string): Promise<TenantUsage> {
    const tenant = await this.tenants.findByKey(tenantKey);
    const limits =
      tenant?.id === tenantId
        ? await this.utilization.listLimits(createGraphqlContext(request), tenantKey)
        : null;
    const shown = (limits ?? []).map((limit) => ({
      apiKey: limit.apiKey,
      limitName: limit.limitName,
      shown: showLimit(limit),
    }));
    return { timeZone: tenant?.timeZone ?? 'UTC', limits: shown };
  }
}

/** The page, the script and the data of the usage widget. Anonymous: the token is the credential. */
@Controller('embed')
export class WidgetController {
  constructor(
    private readonly tokens: WidgetTokens,
    private readonly usage: WidgetUsage,
    private readonly meter: PointsMeter,
    private readonly installation: Installation,
  ) {}

  /** Only pages of the configured origins may embed it. */
  @Anonymous()
  @Get('usage')
  async page(@Query('theme') theme: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { embedOrigins } = this.installation.current;
    const policy = [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'unsafe-inline'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${embedOrigins.length === 0 ? "'none'" : embedOrigins.join(' ')}`,
    ].join('; ');
    await reply
      .headers({
        'Content-Security-Policy': policy,
        // The address contains the token.
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Cache-Control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(renderWidgetPage(this.installation.brand, WIDGET_THEMES.find((one) => one === theme) ?? 'auto'));
  }

  /** Anonymous: the same for everyone. */
  @Anonymous()
  @Get('usage.js')
  async script(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .header('Cache-Control', 'public, max-age=3600')
      .type('text/javascript; charset=utf-8')
      .send(WIDGET_SCRIPT);
  }

  /** Anonymous: the token is the credential. */
  @Anonymous()
  @Get('usage/data')
  async data(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [scheme, token = ''] = String(request.headers.authorization).split(' ');
    const content = scheme === 'Bearer' ? this.tokens.read(token) : undefined;
    if (content === undefined) throw new ApiError('UNAUTHENTICATED', 'The token has expired or is invalid.');
    const { tenantId, tenantKey, limits, expiresAtMs } = content;
    await this.meter.charge([widgetPayerOf(content), tenantPayerOf(tenantKey)], 1);
    const usage = await this.usage.get(request, tenantId, tenantKey);
    const chosen = usage.limits.filter(
      ({ apiKey, limitName }) => limits === null || limits.includes(`${apiKey}/${limitName}`),
    );
    await reply.header('Cache-Control', 'no-store').send({
      limits: chosen.slice(0, MAX_LIMITS).map(({ shown }) => shown),
      timeZone: usage.timeZone,
      expiresAt: new Date(expiresAtMs),
    });
  }
}

/** A limit as in the portal: `Create URL per minute`. */
function showLimit({ policy, used, capacity, percent, resetsAt }: PolicyUtilization) {
  const dimensions = dimensionsInWords(policy.per);
  const who = dimensions === '' ? '' : `, per ${dimensions}`;
  return { name: `${limitTitle(policy)} ${perSpan(policy)}${who}`, used, limit: capacity, percent, resetsAt };
}
