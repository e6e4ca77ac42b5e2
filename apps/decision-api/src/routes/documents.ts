import { PROBLEMS, type ProblemCode, TollgateError } from '@tollgate/contracts';
import { type Route, respond } from '../http/route.js';
import { openApiDocument } from '../openapi/document.js';
import { problemHtml, referencePage, STYLE } from '../openapi/pages.js';

const POLICY = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

export function documentRoutes(): Route[] {
  return [
    fixed('/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(openApiDocument())),
    fixed('/docs', 'text/html; charset=utf-8', () => referencePage(openApiDocument())),
    fixed('/docs/style.css', 'text/css; charset=utf-8', () => STYLE),
    {
      method: 'GET',
      path: '/docs/errors/',
      scope: null,
      handle(request, response) {
        const code = /^\/docs\/errors\/([a-z0-9-]+)$/.exec(request.url ?? '')?.[1];
        if (code === undefined || !Object.hasOwn(PROBLEMS, code)) throw new TollgateError('route-unknown');
        respond(response, 200, 'text/html; charset=utf-8', problemHtml(code as ProblemCode), POLICY);
      },
    },
  ];
}

/** The document is built on first use. */
function fixed(path: string, contentType: string, make: () => string): Route {
  let text: string | undefined;
  return {
    method: 'GET',
    path,
    scope: null,
    handle(_request, response) {
      text ??= make();
      respond(response, 200, contentType, text, POLICY);
    },
  };
}
