// Reads a page and its data again and again while the site's build is replaced, and reports what each build sent.

import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { send } from '../../harness/http.ts'

/** What all documents of one build had. */
export interface BuildSeen {
  /** The text of the element with the id `mark`. */
  marks: Set<string>
  /** The addresses of the document's scripts. */
  scripts: Set<string>
  /** How the page cache sent documents and data: `HIT`, `MISS`, `STALE`; `-` past the cache. */
  verdicts: Set<string>
  /** The mark in the data of the page. */
  data: Set<string>
}

interface BuildWatch {
  /** Ends the watch; resolves with what each build sent, in the order of their first documents. */
  stop(): Promise<Map<string, BuildSeen>>
}

/** The page shows its `mark` as text, and its data has it as a prop. */
export function watchBuilds(baseUrl: string, path: string): BuildWatch {
  const builds = new Map<string, BuildSeen>()
  let isStopped = false
  const seenOf = (build: string) => {
    const seen = builds.get(build) ?? { marks: new Set(), scripts: new Set(), verdicts: new Set(), data: new Set() }
    builds.set(build, seen)
    return seen
  }
  const read = async () => {
    const document = await send(baseUrl, path)
    const build = String(document.headers['portico-build'])
    const seen = seenOf(build)
    seen.marks.add(/id="mark">([^<]*)</.exec(document.text)?.[1] ?? `${document.status}`)
    seen.scripts.add([...document.text.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, name]) => name).join(' '))
    seen.verdicts.add(String(document.headers['x-portico-cache'] ?? '-'))
    const data = await send(baseUrl, dataUrl('', build, path))
    seen.verdicts.add(String(data.headers['x-portico-cache'] ?? '-'))
    // The other gateway, or the next moment, may have no renderer of the build.
    if (data.status === 200) seen.data.add(JSON.parse(data.text).props.mark)
  }
  const running = (async () => {
    while (!isStopped) {
      // A gateway that is being replaced ends connections; lost requests are what other tests count.
      await read().catch(() => undefined)
      await new Promise((done) => setTimeout(done, 20))
    }
  })()
  return {
    async stop() {
      isStopped = true
      await running
      return builds
    },
  }
}
