// The sites of the journey: the fixture with a search page as `npm start` runs it, and a small site as `npm run dev`
// serves it. Both engines use the same two stacks.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startEmbedded } from '../harness/embedded-stack.ts'
import { makeFolder } from '../harness/processes.ts'
import { type EditedSite, makeSite, type SiteFiles, writeSite } from '../sites/make-site.ts'
import { FIXTURE } from '../sites/sites.ts'
import { SMALL } from '../sites/written/small.ts'
import type { EnginePage } from './engine.ts'

/** Results follow the typing, in the address. Without JavaScript a GET form. */
const SEARCH: SiteFiles = {
  'pages/search.tsx': `import type { GetServerSideProps, PageProps } from 'portico'
import { useRouter, useSearchParams } from 'portico'
import { listItems } from '../lib/items.ts'
export const getServerSideProps = (async ({ query }) => {
  const found = listItems().filter(({ title }) => title.includes(String(query.q ?? '')))
  return { props: { titles: found.map(({ title }) => title).join(', ') } }
}) satisfies GetServerSideProps
export default function Search({ titles }: PageProps<typeof getServerSideProps>) {
  const router = useRouter()
  const searched = useSearchParams().get('q') ?? ''
  const show = (text: string) => void router.replace('/search?q=' + encodeURIComponent(text))
  return (
    <>
      <title>Search</title>
      <form action="/search"><input id="q" name="q" defaultValue={searched} onChange={({ target }) => show(target.value)} /></form>
      <p id="searched">{searched}</p>
      <p id="titles">{titles}</p>
    </>
  )
}
`,
}

/** Notes console errors and uncaught errors, which only one of the drivers reports, from the first module of a site on. */
const FAULTS: SiteFiles = {
  'lib/faults.ts': `if (typeof window !== 'undefined') {
  const note = (fault: string) =>
    sessionStorage.setItem('faults', JSON.stringify([...JSON.parse(sessionStorage.getItem('faults') ?? '[]'), fault]))
  const { error } = console
  console.error = (...values: unknown[]) => {
    note('console: ' + values.map(String).join(' '))
    error(...values)
  }
  addEventListener('error', ({ message }) => note('uncaught: ' + message))
  addEventListener('unhandledrejection', ({ reason }) => note('uncaught: ' + reason))
}
`,
}

/** Returns and forgets what was noted since the last call. */
export async function takeFaults(page: EnginePage): Promise<unknown[]> {
  // A page without this module would seem to have no faults.
  const noted = await page.evaluate(`(() => {
    console.error('end of step')
    const noted = JSON.parse(sessionStorage.getItem('faults') ?? '[]')
    sessionStorage.removeItem('faults')
    return noted
  })()`)
  const faults = Array.isArray(noted) ? noted : []
  expect(faults.pop()).toBe('console: end of step')
  return faults
}

const APP = 'pages/_app.tsx'
const withFaults = (app: unknown): SiteFiles => ({ ...FAULTS, [APP]: `import '../lib/faults.ts'\n${app}` })

export interface Sites {
  /** Address of the site that is built. */
  baseUrl: string
  /** Address of the site under development. */
  devUrl: string
  edited: EditedSite
  stop: () => Promise<void>
}

/** Builds and starts both. */
export async function startSites(): Promise<Sites> {
  const folder = await makeFolder('engines')
  const edited = await makeSite({ ...SMALL, ...withFaults(SMALL[APP]) })
  const app = await readFile(join(FIXTURE.appDir, APP), 'utf8')
  await writeSite(folder.path, { ...SEARCH, ...withFaults(app) }, FIXTURE.appDir)
  const [built, dev] = await Promise.all([
    startEmbedded({ appDir: folder.path }),
    startEmbedded({ appDir: edited.dir, args: ['--dev'] }),
  ])
  return {
    baseUrl: built.baseUrl,
    devUrl: dev.baseUrl,
    edited,
    async stop() {
      await Promise.all([built.stop(), dev.stop()])
      await Promise.all([folder.remove(), edited.remove()])
    },
  }
}
