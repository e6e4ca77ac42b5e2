import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { escapeHtml } from '../http/escape-html.js';

/** What bull-board says that it needs, kept until routes are made of it. */
export class BoardRoutes implements IServerAdapter {
  viewsPath = '';
  private queues: BullBoardQueues = new Map();
  private uiConfig: UIConfig = {};
  private apiRoutes: AppControllerRoute[] = [];
  private entry: AppViewRoute | undefined;
  private onError: (error: Error) => ControllerHandlerReturnType = () => ({ status: 500, body: {} });

  constructor(private readonly basePath: string) {}

  setQueues(queues: BullBoardQueues): this {
    this.queues = queues;
    return this;
  }

  setViewsPath(viewsPath: string): this {
    this.viewsPath = viewsPath;
    return this;
  }

  /** Its files lie below the views. */
  setStaticPath(): this {
    return this;
  }

  setEntryRoute(route: AppViewRoute): this {
    this.entry = route;
    return this;
  }

  setErrorHandler(handler: (error: Error) => ControllerHandlerReturnType): this {
    this.onError = handler;
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.apiRoutes = routes;
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.uiConfig = config;
    return this;
  }

  /** Its page, from its template: names in `<%= %>` are text, those in `<%- %>` are JSON that it has made safe itself. */
  renderPage(template: string): string {
    if (this.entry === undefined) throw new Error('The board has not said which page it has');
    const { params } = this.entry.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
    const values = params as Record<string, unknown>;
    return (
      template
        // Fonts of another site: nothing here calls out, and the policy would refuse it.
        .replace(/<link href="https:[^>]*>/g, '')
        .replace(/<%([=-]) *(\w+) *%>/g, (_, kind: string, name: string) => {
          const text = String(values[name] ?? '');
          return kind === '=' ? escapeHtml(text) : text;
        })
    );
  }

  /** The paths of its pages. */
  get pagePaths(): string[] {
    return [this.entry?.route ?? []].flat();
  }

  addApi(scope: FastifyInstance): void {
    for (const { method, route, handler } of this.apiRoutes) {
      const methods = [method].flat().map((one) => one.toUpperCase() as HTTPMethods);
      for (const url of [route].flat()) {
        scope.route({
          method: methods,
          url,
          handler: async (request, reply) => {
            const { status, body } = await this.answer(handler, request);
            return reply.status(status ?? 200).send(body);
          },
        });
      }
    }
  }

  private async answer(handler: AppControllerRoute['handler'], request: FastifyRequest) {
    try {
      return await handler({
        queues: this.queues,
        uiConfig: this.uiConfig,
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string>,
        body: (request.body ?? {}) as Record<string, unknown>,
        headers: request.headers as Record<string, string>,
      });
    } catch (error) {
      return this.onError(error as Error);
    }
  }
}
