// The purge command next to `npm start`: an operator's way to make pages and data new (C6).

import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { expect, test } from 'vitest'
import { root } from '../../../checks/sources.ts'
import type { EmbeddedStack } from '../../harness/embedded-stack.ts'
import { program } from '../../harness/framework.ts'
import { send } from '../../harness/http.ts'
import { run } from '../../harness/processes.ts'

/** For a stack of the fixture, with or without a page cache in the gateway. */
export function describePurge(title: string, stack: () => EmbeddedStack | undefined): void {
  const purge = (...args: string[]) => {
    const env = { ...bareEnvironment(), DATA_DIR: stack()?.dataDir }
    return run(process.execPath, [program('services/gateway/purge-cli'), ...args], { cwd: root, env })
  }
  const get = async (path: string) => {
    const { status, headers, text } = await send(stack()?.baseUrl ?? '', path)
    expect(status).toBe(200)
    // The verdict of the gateway's page cache, or of the renderer's where the gateway keeps no pages.
    const [, verdict] = /^cache;desc=(\w+)/.exec(String(headers['server-timing'])) ?? []
    return { verdict, build: headers['portico-build'], text }
  }
  const documentOf = async () => {
    const { verdict, build, text } = await get('/news')
    return { verdict, build, issue: /id="issue">([^<]+)</.exec(text)?.[1] }
  }
  const dataOf = async (build: unknown) => {
    const { verdict, text } = await get(`/_portico/data/${build}/news.json`)
    return { verdict, issue: (JSON.parse(text) as { props: { issue: string } }).props.issue }
  }

  test(`C6 ${title} the purge command makes a page and its data new, by path, by tag and all pages`, async () => {
    await expect.poll(async () => (await documentOf()).verdict).toBe('HIT')
    const { build, issue: first } = await documentOf()
    const seen = [first]
    const purged = async (args: string[], name: string) => {
      expect(await purge(...args)).toMatchObject({
        code: 0,
        output: expect.stringContaining(`${name}: purged, generation`),
      })
    }
    await purged(['--path', '/news'], 'path /news')
    const afterPath = await documentOf()
    // A gateway that received the mark twice does not keep the first entry, and has the renderer's for the next request.
    expect([afterPath.verdict, (await dataOf(build)).issue]).toEqual(['MISS', afterPath.issue])
    seen.push(afterPath.issue)
    await purged(['--page-tag', 'news'], 'page-tag news')
    const afterTag = await dataOf(build)
    expect([afterTag.verdict, (await documentOf()).issue]).toEqual(['MISS', afterTag.issue])
    seen.push(afterTag.issue)
    await purged(['--pages'], 'pages')
    expect((await get('/about')).verdict).toBe('MISS')
    seen.push((await documentOf()).issue)
    expect(new Set(seen).size).toBe(4)
    expect(await purge('--path', 'news')).toMatchObject({
      code: 2,
      output: expect.stringContaining('--path="news" must begin with one "/"'),
    })
  })
}
