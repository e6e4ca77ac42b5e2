import {
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Module,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { extensionsOf } from '../guard/graphql-extensions.js';
import { judge, PROBLEM_TYPE } from '../guard/guard.js';
import type { GuardOptions, Refusal } from '../guard/guard-options.js';

/** What of a request both platforms have; the rest is the platform's own. */
export interface NestRequest {
  ip?: string;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever guards and middleware before this one have put there
  [name: string]: any;
}

type NestGuardOptions = GuardOptions<NestRequest>;

/** What applies to every `@Limit`; each may say otherwise. */
export type NestOptions = Omit<NestGuardOptions, 'operation'>;

export type LimitOptions = Partial<Omit<NestGuardOptions, 'client'>>;

const OPTIONS = Symbol.for('@tollgate/sdk/nest/options');
const LIMIT = '@tollgate/sdk/nest/limit';

/**
 * Limits a handler, or each handler of a controller. The operation is the handler's name unless given.
 * `TollgateGuard` must be in force, globally or by `@UseGuards`.
 */
export function Limit(options: LimitOptions = {}): MethodDecorator & ClassDecorator {
  return SetMetadata(LIMIT, options);
}

/** Takes a handler out of its controller's `@Limit`. */
export function SkipLimit(): MethodDecorator & ClassDecorator {
  return SetMetadata(LIMIT, false);
}

interface NestResponse extends Partial<FinishingResponse> {
  /** Of Fastify: what it answers through. */
  raw?: FinishingResponse;
  header?(name: string, value: string): unknown;
  setHeader?(name: string, value: string): unknown;
}

interface FinishingResponse {
  statusCode: number;
  once(event: 'finish', listener: () => void): unknown;
}

/**
 * Asks for handlers with `@Limit`: of HTTP (Express, Fastify) and of GraphQL, whose context holds the request as `req`. There a
 * refusal is an error of the field, with `extensions.code` `RATE_LIMITED` and the problem in `extensions.problem`, and what is
 * left is told in headers where the context holds `res`, or Fastify's `reply`, too.
 */
@Injectable()
export class TollgateGuard implements CanActivate {
  constructor(
    @Inject(OPTIONS) private readonly options: NestOptions,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    const own = this.reflector.getAllAndOverride<LimitOptions | false | undefined>(LIMIT, [
      handler,
      context.getClass(),
    ]);
    if (own === undefined || own === false) return true;
    const { request, response, isGraphQL } = partsOf(context);
    const options = { operation: handler.name, ...this.options, ...own };
    const verdict = await judge(options, request, request.ip);
    for (const [name, value] of Object.entries(verdict.headers)) setHeader(response, name, value);
    if (verdict.pass) {
      request.tollgate = verdict.decision;
      if (options.refundOn !== undefined) onFinish(response, verdict.after);
      return true;
    }
    if (!isGraphQL) setHeader(response, 'Content-Type', PROBLEM_TYPE);
    throw new RefusalException(verdict);
  }
}

/** Filters see an HTTP exception; servers of GraphQL make a field's error of it, by its `extensions`. */
class RefusalException extends HttpException {
  readonly extensions: ReturnType<typeof extensionsOf>;

  constructor(refusal: Refusal) {
    super(refusal.body, refusal.status);
    this.message = refusal.body.title;
    this.extensions = extensionsOf(refusal);
  }
}

interface Parts {
  request: NestRequest;
  response: NestResponse | undefined;
  isGraphQL: boolean;
}

function partsOf(context: ExecutionContext): Parts {
  if (context.getType<string>() === 'graphql') {
    const { req, res, reply } = context.getArgByIndex(2);
    const request = req ?? reply?.request;
    if (request === undefined) {
      throw new TypeError(
        'TollgateGuard finds the request in the GraphQL context, as `req`: it is not there',
      );
    }
    return { request, response: res ?? reply, isGraphQL: true };
  }
  const http = context.switchToHttp();
  return {
    request: http.getRequest<NestRequest>(),
    response: http.getResponse<NestResponse>(),
    isGraphQL: false,
  };
}

function onFinish(response: NestResponse | undefined, after: (status: number) => void): void {
  const raw = response?.raw ?? response;
  raw?.once?.('finish', () => after(raw.statusCode ?? 0));
}

function setHeader(response: NestResponse | undefined, name: string, value: string): void {
  if (typeof response?.header === 'function') response.header(name, value);
  else response?.setHeader?.(name, value);
}

/**
 * `imports: [TollgateModule.forRoot({ client, tenant, api })]`, then `@UseGuards(TollgateGuard)`, or
 * `{ provide: APP_GUARD, useExisting: TollgateGuard }` for all.
 */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest wants a class, and its users expect forRoot on it
export class TollgateModule {
  static forRoot(options: NestOptions): DynamicModule {
    return {
      module: TollgateModule,
      global: true,
      providers: [{ provide: OPTIONS, useValue: options }, Reflector, TollgateGuard],
      exports: [OPTIONS, TollgateGuard],
    };
  }
}
