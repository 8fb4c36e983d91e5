// Recognises programs that read only the document as it ends, by the `isbot` list (W12).

import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

/** The list is one long expression: a look-up costs a twentieth of it. */
const MOST_KNOWN = 1000

export type IsCrawler = (userAgent: string) => boolean

/**
 * Whether a User-Agent names a crawler or another program without a browser. Chrome without a window is a browser: its
 * tests see the responses of other browsers. A crawler that runs Chrome adds a name of its own.
 */
export function createCrawlerTest(): IsCrawler {
  // SECURITY: bounded, because clients choose the value; Node limits its length with the head.
  const known = new LRUCache<string, boolean>({ max: MOST_KNOWN })
  return (userAgent) => {
    let isCrawler = known.get(userAgent)
    if (isCrawler === undefined) {
      isCrawler = isbot(userAgent.replace('HeadlessChrome/', 'Chrome/'))
      known.set(userAgent, isCrawler)
    }
    return isCrawler
  }
}
