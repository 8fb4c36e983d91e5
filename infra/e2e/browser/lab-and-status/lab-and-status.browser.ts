// The lab and the status page of the sample site, as `npm start` runs it.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type EmbeddedStack, startEmbedded } from '../../embedded-stack.ts'
import { ATLAS } from '../../sites.ts'
import { launchChromium } from '../chromium.ts'
import { describeLab } from './lab.ts'
import { describeStatus } from './status.ts'

let stack: EmbeddedStack
let browser: Browser

beforeAll(async () => {
  stack = await startEmbedded({ appDir: ATLAS.appDir })
  browser = await launchChromium()
}, 900_000)

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

const target = {
  baseUrl: () => stack.baseUrl,
  browser: () => browser,
  serviceId(name: string) {
    const id = stack.serviceId(name)
    if (id === undefined) throw new Error(`${name} does not run`)
    return id
  },
}

describeLab(target)
describeStatus(target)
