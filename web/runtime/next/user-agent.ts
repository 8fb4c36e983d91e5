// What `userAgent` of `next/server` reads in the header `User-Agent` (X7).

import { isbot } from 'isbot'
import UAParser from 'ua-parser-js'

export interface UserAgent {
  isBot: boolean
  ua: string
  browser: { name?: string | undefined; version?: string | undefined; major?: string | undefined }
  device: { model?: string | undefined; type?: string | undefined; vendor?: string | undefined }
  engine: { name?: string | undefined; version?: string | undefined }
  os: { name?: string | undefined; version?: string | undefined }
  cpu: { architecture?: string | undefined }
}

/** Reads the text; members that it does not say are undefined. */
export function parseUserAgent(ua = ''): UserAgent {
  return { ...new UAParser(ua).getResult(), isBot: isbot(ua) }
}
