import { createContext, use } from 'react';
import { readersZone } from './time-format.js';

/** The name of a limit and its span: `Create URL per minute`. */
export type LimitTitleOf = (apiKey: string, limitName: string) => string;

/** What a page for one customer shows instead of the reader's time zone and of keys. */
interface CustomerPage {
  timeZone: string;
  limitTitleOf: LimitTitleOf;
}

/** Undefined in the operators' console. */
export const CustomerPage = createContext<CustomerPage | undefined>(undefined);

/** The time zone of a page's times: the customer's in the portal, else the reader's. */
export const usePageZone = (): string => use(CustomerPage)?.timeZone ?? readersZone();

/** How limits are named in the portal; undefined for operators, who see keys. */
export const useLimitTitle = (): LimitTitleOf | undefined => use(CustomerPage)?.limitTitleOf;
