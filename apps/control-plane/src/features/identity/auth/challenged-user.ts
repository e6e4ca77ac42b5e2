import type { GenericEndpointContext, User } from 'better-auth';
import { getSessionFromCtx } from 'better-auth/api';

export async function findSignedInUser(ctx: GenericEndpointContext): Promise<User | undefined> {
  return (await getSessionFromCtx(ctx))?.user;
}

/** The user whose second factor is being verified or set up. */
export async function findChallengedUser(ctx: GenericEndpointContext): Promise<User | undefined> {
  const signedIn = await findSignedInUser(ctx);
  if (signedIn !== undefined) return signedIn;
  const { name } = ctx.context.createAuthCookie('two_factor');
  const challenge = await ctx.getSignedCookie(name, ctx.context.secret);
  if (!challenge) return undefined;
  const { internalAdapter } = ctx.context;
  const userId = (await internalAdapter.findVerificationValue(challenge))?.value;
  return userId === undefined ? undefined : ((await internalAdapter.findUserById(userId)) ?? undefined);
}
