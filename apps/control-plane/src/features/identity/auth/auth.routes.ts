import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { allowedOrigins, originOf } from '../../../platform/http/http-server.js';
import { CLIENT_ADDRESS_HEADER } from './attempt-limits.js';
import { AUTH_PATH } from './auth.js';
import { AuthService } from './auth.service.js';

/** All other endpoints of better-auth return 404. */
export const AUTH_ROUTES = [
  { method: 'POST', path: '/sign-in/email' },
  { method: 'POST', path: '/sign-out' },
  { method: 'GET', path: '/get-session' },
  { method: 'GET', path: '/magic-link/verify' },
  { method: 'POST', path: '/confirm-password' },
  { method: 'POST', path: '/change-password' },
  { method: 'POST', path: '/reset-password' },
  { method: 'POST', path: '/two-factor/enable' },
  { method: 'POST', path: '/two-factor/disable' },
  { method: 'POST', path: '/two-factor/verify-totp' },
  { method: 'POST', path: '/two-factor/verify-backup-code' },
  { method: 'POST', path: '/two-factor/generate-backup-codes' },
  { method: 'GET', path: '/passkey/generate-register-options' },
  { method: 'POST', path: '/passkey/verify-registration' },
  { method: 'GET', path: '/passkey/generate-authenticate-options' },
  { method: 'POST', path: '/passkey/verify-authentication' },
  { method: 'POST', path: '/passkey/update-passkey' },
  { method: 'POST', path: '/passkey/delete-passkey' },
] as const;

/** Mounts better-auth on Fastify. Its endpoints authorize requests themselves. */
@Injectable()
export class AuthRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly auth: AuthService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    for (const { method, path } of AUTH_ROUTES) {
      fastify.route({
        method,
        url: `${AUTH_PATH}${path}`,
        handler: (request, reply) => this.pass(request, reply),
      });
    }
  }

  private async pass(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const response = await this.auth.handle(this.toWebRequest(request));
    reply.status(response.status).header('Cache-Control', 'no-store');
    for (const [name, value] of response.headers) {
      if (name !== 'set-cookie' && name !== 'location') reply.header(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) reply.header('location', this.redirectTo(request, location));
    for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
    return reply.send(await response.text());
  }

  /** `callbackURL` of a sign-in link is set by the caller; only redirects to this origin are allowed. */
  private redirectTo(request: FastifyRequest, location: string): string {
    const origin = originOf(request, this.config);
    const own = allowedOrigins(this.config).find((allowed) => location.startsWith(`${allowed}/`));
    return sameOriginUrl(origin, own === undefined ? location : location.slice(own.length)) ?? `${origin}/`;
  }

  /** Fastify has consumed the body, so it is serialized again. */
  private toWebRequest(request: FastifyRequest): Request {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, one);
    }
    headers.set(CLIENT_ADDRESS_HEADER, request.ip);
    headers.delete('content-length');
    const hasBody = request.method === 'POST';
    return new Request(new URL(request.url, this.config.publicOrigin), {
      method: request.method,
      headers,
      ...(hasBody ? { body: JSON.stringify(request.body ?? {}) } : {}),
    });
  }
}
