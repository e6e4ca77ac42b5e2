import { Controller, Get, Injectable, Query, Req, Res } from '@nestjs/common';
import { InputType, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import {
  Anonymous,
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { ApiError, overloaded } from '../../../platform/api-error.js';
import { notFound, optionalNote, orDefault, parseInput } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { createGraphqlContext } from '../../../platform/graphql/context.js';
import { InputOf } from '../../../platform/graphql/input-of.js';
import { Input, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { Installation } from '../../../platform/installation/installation.js';
import { SealedSecrets } from '../../../platform/secrets.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { TenantsRepository } from '../../customers/index.js';
import type { LimitUtilization } from '../utilization/utilization.graphql.js';
import { UtilizationService } from '../utilization/utilization.service.js';
import { renderWidgetPage, WIDGET_SCRIPT, WIDGET_THEMES } from './widget-page.js';

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

/** Requests that read limits at once. */
const MAX_AT_ONCE = 16;

/** The page, the script and the data of the usage widget. Anonymous: the token is the credential. */
@Controller('embed')
export class WidgetController {
  private running = 0;

  constructor(
    private readonly tokens: WidgetTokens,
    private readonly utilization: UtilizationService,
    private readonly tenants: TenantsRepository,
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
    if (this.running >= MAX_AT_ONCE) throw overloaded('Too many widgets are loading. Try again.');
    this.running += 1;
    try {
      const shown = await runInScope([content.tenantId], () => this.read(request, content));
      await reply.header('Cache-Control', 'no-store').send(shown);
    } finally {
      this.running -= 1;
    }
  }

  private async read(request: FastifyRequest, { tenantId, tenantKey, limits, expiresAtMs }: TokenContent) {
    const tenant = await this.tenants.findByKey(tenantKey);
    const found =
      tenant?.id === tenantId
        ? await this.utilization.listLimits(createGraphqlContext(request), tenantKey)
        : null;
    const shown = (found ?? []).filter(
      ({ apiKey, limitName }) => limits === null || limits.includes(`${apiKey}/${limitName}`),
    );
    return {
      limits: shown.slice(0, MAX_LIMITS).map(showLimit),
      timeZone: tenant?.timeZone ?? 'UTC',
      expiresAt: new Date(expiresAtMs),
    };
  }
}

function showLimit(limit: LimitUtilization) {
  const { apiKey, limitName, used, capacity, percent, period, windowMs, resetsAt } = limit;
  return {
    name: `${apiKey} ${limitName.replaceAll('-', ' ')}`,
    used,
    limit: capacity,
    per: period === null ? perWindow(windowMs) : `per ${period.toLowerCase()}`,
    percent,
    resetsAt,
  };
}

/** `per minute`, `per 15 s`; empty without a window. */
function perWindow(windowMs: number | null): string {
  if (windowMs === null) return '';
  const named = new Map([
    [1000, 'second'],
    [60_000, 'minute'],
    [3_600_000, 'hour'],
    [86_400_000, 'day'],
  ]).get(windowMs);
  return `per ${named ?? `${windowMs / 1000} s`}`;
}
