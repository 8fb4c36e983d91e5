// What `userAgent` of `next/server` reads in the header `User-Agent` (X7): the common browsers, systems and crawlers.

export interface UserAgent {
  isBot: boolean
  ua: string
  browser: { name?: string | undefined; version?: string | undefined; major?: string | undefined }
  device: { model?: string | undefined; type?: string | undefined; vendor?: string | undefined }
  engine: { name?: string | undefined; version?: string | undefined }
  os: { name?: string | undefined; version?: string | undefined }
  cpu: { architecture?: string | undefined }
}

const BOTS =
  /bot\b|bot[/;]|crawler|spider|mediapartners|facebookexternalhit|slurp|whatsapp|embedly|pinterest|bitlybot|preview/i
/** The first that fits: browsers name those that they are compatible with, too. */
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/([\d.]+)/],
  ['Opera', /\bOPR\/([\d.]+)/],
  ['Samsung Internet', /\bSamsungBrowser\/([\d.]+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /\b(?:Chrome|CriOS)\/([\d.]+)/],
  ['Mobile Safari', /\bVersion\/([\d.]+).* Mobile\/\w+ Safari\//],
  ['Safari', /\bVersion\/([\d.]+).* Safari\//],
]
const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ['Windows', /\bWindows NT ([\d.]+)/],
  ['iOS', /\b(?:iPhone )?OS ([\d_]+) like Mac OS X/],
  ['Android', /\bAndroid ?([\d.]*)/],
  ['Chromium OS', /\bCrOS \S+ ([\d.]+)/],
  ['Mac OS', /\bMac OS X ([\d_.]+)/],
  ['Linux', /\bLinux()/],
]
const ENGINES: readonly [name: string, pattern: RegExp][] = [
  ['Blink', /\bChrome\/([\d.]+)/],
  ['WebKit', /\bAppleWebKit\/([\d.]+)/],
  ['Gecko', /\brv:([\d.]+)\) Gecko/],
]
const DEVICES: readonly [type: string, pattern: RegExp, vendor?: string, model?: string][] = [
  ['tablet', /\biPad\b/, 'Apple', 'iPad'],
  ['mobile', /\biPhone\b/, 'Apple', 'iPhone'],
  ['mobile', /\bMobile\b/],
  ['tablet', /\bAndroid\b|\bTablet\b/],
]

/** Reads the text; members that it does not say are undefined. */
export function parseUserAgent(ua = ''): UserAgent {
  const browser = firstOf(BROWSERS, ua)
  const [type, , vendor, model] = DEVICES.find(([, pattern]) => pattern.test(ua)) ?? []
  return {
    isBot: BOTS.test(ua),
    ua,
    browser: { ...browser, major: browser.version?.split('.')[0] },
    device: { model, type, vendor },
    engine: firstOf(ENGINES, ua),
    os: firstOf(SYSTEMS, ua),
    cpu: { architecture: /\b(?:x64|x86_64|Win64|amd64)\b/i.test(ua) ? 'amd64' : /\b(arm64|aarch64)\b/.exec(ua)?.[1] },
  }
}

function firstOf(table: readonly [string, RegExp][], ua: string): { name?: string; version?: string } {
  for (const [name, pattern] of table) {
    const version = pattern.exec(ua)?.[1]
    if (version !== undefined) return { name, ...(version !== '' && { version: version.replaceAll('_', '.') }) }
  }
  return {}
}
