import {
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  SetMetadata,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, HttpAdapterHost, Reflector } from '@nestjs/core';
import {
  type AnyCaller,
  checkGuardOptions,
  type DeniedVerdict,
  extensionsOf,
  type GuardOptions,
  judge,
  type LimitOptions as Options,
  PROBLEM_TYPE,
} from '../guard/guard.js';
import { endWithNodeResponse, type NodeResponse } from '../guard/request-end.js';

export interface NestRequest {
  ip?: string;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever guards and middleware before this one have put there
  [name: string]: any;
}

type NestGuardOptions = Options<NestRequest> & AnyCaller<NestRequest>;

/** Defaults of every `@Limit`. The app starts only if each has `tenant` or `key`, here or in its own options. */
export type NestOptions = Omit<NestGuardOptions, 'operation'>;

export type LimitOptions = Partial<Omit<NestGuardOptions, 'client'>>;

const OPTIONS = Symbol.for('@tollgate/sdk/nest/options');
const LIMIT = '@tollgate/sdk/nest/limit';

/** Limits a handler, or all of a controller; default operation: its name. Requires `TollgateGuard`. */
export function Limit(options: LimitOptions = {}): MethodDecorator & ClassDecorator {
  return SetMetadata(LIMIT, options);
}

/** Exempts a handler from its controller's `@Limit`. */
export function SkipLimit(): MethodDecorator & ClassDecorator {
  return SetMetadata(LIMIT, false);
}

interface NestResponse extends Partial<NodeResponse> {
  raw?: NodeResponse;
  header?(name: string, value: string): unknown;
  setHeader?(name: string, value: string): unknown;
}

/**
 * Checks handlers with `@Limit`: HTTP (Express, Fastify) and GraphQL, whose context must contain the request as `req`.
 * In GraphQL a denial is a field error with `extensions.code` `RATE_LIMITED`.
 */
@Injectable()
export class TollgateGuard implements CanActivate {
  constructor(
    @Inject(OPTIONS) private readonly options: NestOptions,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const options = optionsOf(this.reflector, this.options, context.getHandler(), context.getClass());
    if (options === undefined) return true;
    const { request, response, isGraphQL } = partsOf(context);
    const verdict = await judge(options, request, request.ip);
    if (verdict.pass && response !== undefined) endWithNodeResponse(verdict.end, nodeResponseOf(response));
    for (const [name, value] of Object.entries(verdict.headers)) setHeader(response, name, value);
    if (verdict.pass) {
      request.tollgate = verdict.decision;
      return true;
    }
    if (!isGraphQL) setHeader(response, 'Content-Type', PROBLEM_TYPE);
    throw new DeniedException(verdict);
  }
}

/** Fastify's replies by request, for GraphQL contexts without the reply. */
const REPLIES = new WeakMap<NestRequest, NestResponse>();

@Injectable()
class FastifyReplies implements OnModuleInit {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (httpAdapter?.getType() !== 'fastify') return;
    httpAdapter
      .getInstance()
      .addHook('onRequest', (request: NestRequest, reply: NestResponse, done: () => void) => {
        REPLIES.set(request, reply);
        done();
      });
  }
}

/** A wrong option of a `@Limit` fails the start, not each request. */
@Injectable()
class LimitCheck implements OnApplicationBootstrap {
  constructor(
    @Inject(OPTIONS) private readonly options: NestOptions,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
  ) {}

  /** @throws TollgateConfigError that names handler and option */
  onApplicationBootstrap(): void {
    for (const { metatype } of [...this.discovery.getControllers(), ...this.discovery.getProviders()]) {
      if (typeof metatype !== 'function') continue;
      for (const handler of handlersOf(metatype)) {
        const options = optionsOf(this.reflector, this.options, handler, metatype);
        if (options !== undefined) checkGuardOptions(`@Limit on ${metatype.name}.${handler.name}`, options);
      }
    }
  }
}

function optionsOf(
  reflector: Reflector,
  all: NestOptions,
  handler: Handler,
  owner: Handler,
): GuardOptions<NestRequest> | undefined {
  const own = reflector.getAllAndOverride<LimitOptions | false | undefined>(LIMIT, [handler, owner]);
  if (own === undefined || own === false) return undefined;
  return { operation: handler.name, ...all, ...own } as GuardOptions<NestRequest>;
}

// biome-ignore lint/complexity/noBannedTypes: as Nest types handlers and classes
type Handler = Function;

/** Inherited methods included. */
function handlersOf(metatype: Handler): Handler[] {
  const handlers = new Map<string, Handler>();
  for (let one = metatype.prototype; one && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (typeof value === 'function' && name !== 'constructor' && !handlers.has(name))
        handlers.set(name, value);
    }
  }
  return [...handlers.values()];
}

/** GraphQL servers turn its `extensions` into those of the field error. */
class DeniedException extends HttpException {
  readonly extensions: ReturnType<typeof extensionsOf>;

  constructor(denied: DeniedVerdict) {
    super(denied.body, denied.status);
    this.message = denied.body.title;
    this.extensions = extensionsOf(denied);
  }
}

function partsOf(context: ExecutionContext): {
  request: NestRequest;
  response: NestResponse | undefined;
  isGraphQL: boolean;
} {
  if (context.getType<string>() === 'graphql') {
    const { req, res, reply } = context.getArgByIndex(2);
    const request = req ?? reply?.request;
    if (request === undefined) {
      throw new TypeError(
        'TollgateGuard finds the request in the GraphQL context, as `req`: it is not there',
      );
    }
    return { request, response: res ?? reply ?? request.res ?? REPLIES.get(request), isGraphQL: true };
  }
  const http = context.switchToHttp();
  return {
    request: http.getRequest<NestRequest>(),
    response: http.getResponse<NestResponse>(),
    isGraphQL: false,
  };
}

function nodeResponseOf(response: NestResponse): NodeResponse {
  return response.raw ?? (response as NodeResponse);
}

function setHeader(response: NestResponse | undefined, name: string, value: string): void {
  if (typeof response?.header === 'function') response.header(name, value);
  else response?.setHeader?.(name, value);
}

/**
 * `imports: [TollgateModule.forRoot({ client, tenant, api })]`, then `@UseGuards(TollgateGuard)`, or globally `{
 * provide: APP_GUARD, useExisting: TollgateGuard }`.
 */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest wants a class, and its users expect forRoot on it
export class TollgateModule {
  static forRoot(options: NestOptions): DynamicModule {
    return {
      module: TollgateModule,
      imports: [DiscoveryModule],
      global: true,
      providers: [
        { provide: OPTIONS, useValue: options },
        Reflector,
        TollgateGuard,
        FastifyReplies,
        LimitCheck,
      ],
      exports: [OPTIONS, TollgateGuard],
    };
  }
}
