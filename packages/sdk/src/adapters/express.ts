import type { Request, RequestHandler, Response } from 'express';
import { checkGuardOptions, type GuardOptions, judge, PROBLEM_TYPE } from '../guard/guard.js';
import { endWithNodeResponse } from '../guard/request-end.js';

export type ExpressOptions = GuardOptions<Request>;

/**
 * Express middleware: `app.use(tollgate({ … }))`, or per route. Stores the decision of an allowed request in
 * `res.locals.tollgate`. With `onFault: 'throw'`, faults go to the error handler. The client address is `req.ip`: set
 * `trust proxy` behind a proxy.
 * @throws TollgateConfigError for a missing or wrong option
 */
export function tollgate(options: ExpressOptions): RequestHandler {
  checkGuardOptions('tollgate', options);
  return (request, response, next) => {
    admit(options, request, response).then((passes) => {
      if (passes) next();
    }, next);
  };
}

async function admit(options: ExpressOptions, request: Request, response: Response): Promise<boolean> {
  const verdict = await judge(options, request, request.ip);
  if (verdict.pass) endWithNodeResponse(verdict.end, response);
  for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
  if (!verdict.pass) {
    response.status(verdict.status).setHeader('Content-Type', PROBLEM_TYPE);
    response.end(JSON.stringify(verdict.body));
    return false;
  }
  response.locals.tollgate = verdict.decision;
  return true;
}
