import type { Algorithm, Alignment, OnUnavailable } from '../generated/graphql.js';

/** A limit as configured: the part that an admin edits and that a version stores. */
export interface LimitSpec {
  name: string;
  apiKey: string;
  /** Operations that it covers; empty: every operation of the API. */
  operations: string[];
  /** Dimensions that it counts by besides the tenant; empty: the tenant alone. */
  per: string[];
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  /** GCRA only: how many more at once than the one that a plain rate lets through. */
  burst: number | null;
  /** Fixed window only. */
  alignment: Alignment | null;
  onUnavailable: OnUnavailable;
}
