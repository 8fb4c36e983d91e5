// Configurations with rules of one kind only: the other kinds are absent, and change nothing.

import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'

export const oneKindBehaviours: readonly Behaviour[] = [
  {
    id: 'custom-routes-101',
    does: 'adds headers in a site with rules for headers only',
    configuration: 'trailing-slash',
    via: 'http',
    async run(site) {
      const { headers } = await site.fetch('/custom-routes/garden/')
      expect([headers.get('x-flowers'), headers.get('x-trees')]).toEqual(['tulips', 'an elm'])
      for (const path of ['/custom-routes/map/', '/custom-routes/one/'])
        expect((await site.fetch(path)).status).toBe(404)
    },
  },
  {
    id: 'custom-routes-102',
    does: 'rewrites in a site with rewrites only',
    configuration: 'other-hosts',
    via: 'http',
    async run(site) {
      const response = await site.fetch('/library/custom-routes/one')
      expect(response.status).toBe(200)
      expect(response.headers.get('x-flowers')).toBeNull()
      expect(await response.text()).toContain('<h1>Garden</h1>')
      expect((await site.fetch('/library/custom-routes/map')).status).toBe(404)
    },
  },
  {
    id: 'custom-routes-103',
    does: 'redirects in a site with redirects only',
    configuration: 'basepath-trailing-slash',
    via: 'http',
    async run(site) {
      const { status, headers } = await site.fetch('/library/custom-routes/map/')
      expect(status).toBe(301)
      expect(new URL(headers.get('location') ?? '', site.origin).pathname).toBe('/library/custom-routes/garden/')
      expect((await site.fetch('/library/custom-routes/garden/')).headers.get('x-flowers')).toBeNull()
      expect((await site.fetch('/library/custom-routes/one/')).status).toBe(404)
    },
  },
]
