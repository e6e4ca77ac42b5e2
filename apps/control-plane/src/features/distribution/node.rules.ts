import * as z from 'zod';
import { optionalNote } from '../../platform/changes/text.js';

/** Which node to retire. */
export const nodeRetireSchema = z.object({
  nodeId: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'Not the name of a node'),
  reason: optionalNote,
});
