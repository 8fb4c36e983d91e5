// Numbers and dates as the atlas prints them: one locale and one time zone, so that server and browser agree.

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
const stampFormat = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `21 November 2026`. */
export function formatDay(iso: string): string {
  return dayFormat.format(new Date(iso))
}

/** `21 Nov 2026`, for postmarks. */
export function formatStamp(iso: string): string {
  return stampFormat.format(new Date(iso))
}

const ROMAN: readonly [number, string][] = [
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]

/** Plate numbers are Roman, as in old atlases. `value` is a whole number from 1 to 399. */
export function formatRoman(value: number): string {
  let rest = value
  let text = ''
  for (const [worth, sign] of ROMAN) for (; rest >= worth; rest -= worth) text += sign
  return text
}
