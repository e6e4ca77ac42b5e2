/** Digits behind the point, as the currency is written: 2 for EUR, 0 for JPY. @throws RangeError for no currency */
export function currencyDigits(currency: string): number {
  return currencyFormat(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

/** `€49.00`, `¥1,200`. @param minor in the smallest unit of the currency @throws RangeError for no currency */
export function formatMoney(minor: number, currency: string): string {
  return currencyFormat(currency).format(minor / 10 ** currencyDigits(currency));
}

function currencyFormat(currency: string): Intl.NumberFormat {
  return new Intl.NumberFormat('en', { style: 'currency', currency });
}
