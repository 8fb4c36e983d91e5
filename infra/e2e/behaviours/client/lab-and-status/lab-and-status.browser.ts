// The lab and the status page of the sample site, as `npm start` runs it.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { processOf } from '../../../harness/framework.ts'
import { childrenOf } from '../../../harness/processes.ts'
import { connectChromium } from '../../../harness/shared.ts'
import { describeLab } from './lab.ts'
import { describeStatus } from './status.ts'

const { baseUrl, stackId } = inject('atlas')
let browser: Browser

beforeAll(async () => {
  browser = await connectChromium()
})

afterAll(() => browser?.close())

const target = {
  baseUrl: () => baseUrl,
  browser: () => browser,
  serviceId(name: string) {
    const [id] = childrenOf(stackId, processOf(name))
    if (id === undefined) throw new Error(`${name} does not run`)
    return id
  },
}

describeLab(target)
describeStatus(target)
