import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { PROBLEM_CONTENT_TYPE, problem } from '@tollgate/contracts';
import { type Brand, TOLLGATE_BRAND } from '@tollgate/contracts/brand';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { HttpErrorFilter } from '../error-responses.js';
import { Installation } from '../installation/installation.js';
import { HealthRoutes } from './health.js';
import { CONTENT_SECURITY_POLICY } from './http-server.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** All files below a folder, by URL path. */
function listFiles(root: string): Map<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    found.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(root, file).split(path.sep).join('/'), file];
    }),
  );
}

/** Paths that are not pages of the console. */
const RESERVED = /^\/(?:api|embed|graphql|pay|mailbox|assets|healthz|readyz|metrics|version)(?:\/|$)/;

/** Serves the files of the console, and its index page for all other paths. */
@Injectable()
export class ConsoleRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly config: AppConfig,
    private readonly installation: Installation,
  ) {}

  onModuleInit(): void {
    if (this.config.consoleDir === undefined) return;
    const root = path.resolve(this.config.consoleDir);
    // Only files that exist at start, so that no path leads out of the folder. Compressed copies answer for their file.
    const files = new Set([...listFiles(root).keys()].filter((file) => !/\.(?:br|gz)$/.test(file)));
    // Served by its own route to signed-in users.
    files.delete('explorer.html');
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    // Not awaited, because that would start the routes before Nest has set its error handler.
    void fastify.register(fastifyStatic, { root, serve: false, cacheControl: false, preCompressed: true });
    const html = readFileSync(path.join(root, 'index.html'), 'utf8');
    const policy = policyOfPage(html);
    const sendPage = (reply: FastifyReply) => {
      reply.headers({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy });
      const { brand } = this.installation;
      if (isDefault(brand)) return reply.sendFile('index.html');
      return reply.type('text/html; charset=utf-8').send(brandPage(html, brand));
    };
    fastify.get('/*', (request, reply) => serve(request, reply, files, sendPage));
  }
}

/** The content security policy with the hashes of the page's inline scripts. */
function policyOfPage(html: string): string {
  const hashes = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return CONTENT_SECURITY_POLICY.replace("script-src 'self'", `$&${hashes.join('')}`);
}

const isDefault = ({ productName, accent, logo }: Brand) =>
  productName === TOLLGATE_BRAND.productName && accent === null && logo === null;

/** The index page with name, logo and accent of the installation, so that the console shows them at its first paint. */
export function brandPage(html: string, brand: Brand): string {
  const name = escapeHtml(brand.productName);
  const logo = brand.logo === null ? undefined : escapeHtml(brand.logo);
  const meta = `<meta name="tollgate-brand" content="${escapeHtml(JSON.stringify(brand))}">`;
  return html
    .replace('</head>', () => `${meta}</head>`)
    .replace(/(<title>)[^<]*/, (_, tag: string) => `${tag}${name}`)
    .replace(/<link rel="icon"[^>]*>/, (icon) => (logo ? `<link rel="icon" href="${logo}">` : icon))
    .replace(
      /(<div class="tg-first-frame">\s*)(<svg.*?<\/svg>)\s*Tollgate/s,
      (_, start: string, mark: string) =>
        `${start}${logo ? `<img src="${logo}" width="24" height="24" alt="">` : mark}${name}`,
    );
}

function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  files: ReadonlySet<string>,
  sendPage: (reply: FastifyReply) => FastifyReply,
): FastifyReply {
  const pathname = request.url.split('?')[0] ?? '/';
  const file = pathname.slice(1);
  if (files.has(file) && file !== 'index.html') {
    const isHashed = file.startsWith('assets/');
    reply.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    return reply.sendFile(file);
  }
  if (RESERVED.test(pathname)) {
    return reply
      .status(404)
      .type(PROBLEM_CONTENT_TYPE)
      .send(problem('route-unknown', { requestId: request.id }));
  }
  return sendPage(reply);
}

@Module({ providers: [HealthRoutes, ConsoleRoutes, { provide: APP_FILTER, useClass: HttpErrorFilter }] })
export class HttpModule {}
