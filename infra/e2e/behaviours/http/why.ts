// The why command next to `npm start`: what the gateway would do with a request (O9).

import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { expect, test } from 'vitest'
import { root } from '../../../checks/sources.ts'
import type { EmbeddedStack } from '../../harness/embedded-stack.ts'
import { program } from '../../harness/framework.ts'
import { send } from '../../harness/http.ts'
import { run } from '../../harness/processes.ts'

/** For a stack of the fixture with a page cache in the gateway. */
export function describeWhy(title: string, stack: () => EmbeddedStack | undefined): void {
  test(`O9 ${title} the why command says what responds, from where, and by which rule`, async () => {
    const env = { ...bareEnvironment(), DATA_DIR: stack()?.dataDir }
    const why = (...args: string[]) =>
      run(process.execPath, [program('services/gateway/why-cli'), ...args], { cwd: root, env })
    const verdict = async () => (await send(stack()?.baseUrl ?? '', '/news')).headers['x-portico-cache']
    await expect.poll(verdict).toBe('HIT')
    const kept = await why('/news')
    expect(kept).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^\/news: from memory \(HIT\), page \/news, /),
    })
    expect(kept.output).toMatch(/\npath +\/news \(for revalidatePath\)\n/)
    const moved = await why('/news/', '--json')
    expect(JSON.parse(moved.output)).toMatchObject({ response: { by: 'gateway', status: 308 } })
  })
}
