import { withTollgate } from '@tollgate/sdk/next';
import { asked } from '../tollgate.ts';

/** `app/api/shorten/route.ts` of a Next application behind one proxy. */
export const POST = withTollgate(() => Response.json({ short: 'https://sho.rt/a1' }, { status: 201 }), {
  ...asked,
  operation: 'createURL',
  trustedHops: 1,
});
