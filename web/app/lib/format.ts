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

/** `842 B`, `64 KB`, `1.4 MB`; a kilobyte has 1000 bytes, as in download managers. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} KB`
  if (bytes < 999_500_000) return `${(bytes / 1e6).toFixed(bytes < 9_950_000 ? 1 : 0)} MB`
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** `0.4 ms`, `38 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  return `${Number((ms / 1000).toFixed(1))} s`
}
