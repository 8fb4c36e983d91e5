import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { createRouteMetrics } from './route-metrics.ts'

test('O7 responses are counted by route and class of the status', async () => {
  const registry = new Registry()
  const count = createRouteMetrics(registry)
  count('/things/[id]', 200, 30)
  count('/things/[id]', 204, 30)
  count('/things/[id]', 503, 3000)
  count(undefined, 400, 1)
  const text = await registry.metrics()
  expect(text).toContain('portico_gateway_route_responses_total{route="/things/[id]",status="2xx"} 2')
  expect(text).toContain('portico_gateway_route_responses_total{route="/things/[id]",status="5xx"} 1')
  expect(text).toContain('portico_gateway_route_responses_total{route="other",status="4xx"} 1')
  expect(text).toContain('portico_gateway_route_seconds_bucket{le="0.1",route="/things/[id]"} 2')
  expect(text).toContain('portico_gateway_route_seconds_count{route="/things/[id]"} 3')
})

test('O7 routes above the limit have one label value together, and known ones keep theirs', async () => {
  const registry = new Registry()
  const count = createRouteMetrics(registry, 2)
  for (const route of ['/a', '/b', '/c', '/d', '/a']) count(route, 200, 1)
  const text = await registry.metrics()
  const totals = [...text.matchAll(/^portico_gateway_route_responses_total\{route="([^"]+)",\S+ (\d+)$/gm)]
  expect(totals.map(([, route, total]) => `${route} ${total}`)).toEqual(['/a 2', '/b 1', 'other 2'])
})
