import * as z from 'zod';
import { HEADER_STYLES } from './headers.js';

/** In which styles an API's limits are told in headers; none: an empty list. */
export const headerStylesSchema = z
  .array(z.enum(HEADER_STYLES))
  .max(HEADER_STYLES.length)
  .refine((styles) => new Set(styles).size === styles.length, 'A style is named twice');
