// Processor time of one request by its kind, with the source of each figure.

export type Kind = 'page' | 'file' | 'image' | 'rendered' | 'action' | 'new-image'
export type Part = 'gateway' | 'renderer' | 'images' | 'actions'

/** Milliseconds of processor time of one request; what is absent is not used. */
export type Costs = Readonly<Record<Kind, Readonly<Partial<Record<Part | 'redis', number>>>>>

/**
 * How much more processor time a request took in a running stack than in a benchmark that repeats one request, for cached
 * images and for rendered pages, where both were measured.
 */
const OPERATED = 12

interface Source {
  what: string
  costs: Costs[Kind]
  /** Of a benchmark that keeps 16 or 32 connections busy with one address. */
  bench: string
  from: string
}

/** Kinds of requests in the order of the documentation. */
export const SOURCES: Readonly<Record<Kind, Source>> = {
  page: {
    what: 'page from the memory of the gateway',
    costs: { gateway: 0.47 },
    bench: '0.02',
    from: `operated; \`cached-pages.ts\``,
  },
  file: {
    what: 'hashed or public file',
    costs: { gateway: 0.47 },
    bench: '0.02',
    from: `as a page, which costs as much in \`cached-pages.ts\``,
  },
  image: {
    what: 'image from the cache',
    costs: { gateway: 0.67, images: 0.023 * OPERATED },
    bench: '0.06 + 0.02',
    from: `operated; images service: ${OPERATED} × \`images.ts --only hits\``,
  },
  rendered: {
    what: 'page of 60 KB that is rendered for each request',
    costs: { gateway: 2.4, renderer: 4.6 },
    bench: '0.19 + 0.24 (of 12 KB)',
    from: `operated; \`compression.ts\`, \`render.ts\``,
  },
  action: {
    what: 'action, with new page data in its response',
    costs: { gateway: 0.103 * OPERATED, actions: 0.214 * OPERATED, renderer: 4.6, redis: 0.095 },
    bench: '0.10 + 0.21',
    from: `${OPERATED} × \`actions.ts\`, the renderer as for a rendered page`,
  },
  'new-image': {
    what: 'image that no cache has',
    costs: { gateway: 0.67, images: 50 },
    bench: '50',
    from: '20 a second and encoder: [Running the image service](/docs/images-at-scale)',
  },
}

export const COSTS: Costs = mapKinds(({ costs }) => costs)

export const KINDS = Object.keys(SOURCES) as readonly Kind[]

function mapKinds<T>(map: (source: Source) => T): Record<Kind, T> {
  // The keys are those of SOURCES.
  return Object.fromEntries(Object.entries(SOURCES).map(([kind, source]) => [kind, map(source)])) as Record<Kind, T>
}
