import { type Brand, TOLLGATE_BRAND } from '@tollgate/contracts/brand';

/** The brand that the control plane writes into the page, so that it is there before the first paint. */
export const brand = readBrand(
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="tollgate-brand"]')?.content,
);

function readBrand(text: string | undefined): Brand {
  try {
    return text === undefined ? TOLLGATE_BRAND : { ...TOLLGATE_BRAND, ...(JSON.parse(text) as Brand) };
  } catch {
    return TOLLGATE_BRAND;
  }
}
