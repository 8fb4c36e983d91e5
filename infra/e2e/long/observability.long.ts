// docker/compose.observability.yml with Debian's Prometheus and a receiver of traces in the places of the public
// images: every replica is found by name, rules and dashboard find their metrics, an alert fires, traces arrive.

import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { imageUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAlerts, readExpressions } from '../../checks/observability.ts'
import { buildStandIn, type ComposeStack, startCompose } from '../harness/compose-stack.ts'
import { postForm, send } from '../harness/http.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../harness/processes.ts'
import { FIXTURE } from '../sites/sites.ts'

const STAND_INS = {
  'portico-test-prometheus': `FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/*
ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/tmp/prometheus"]
`,
  // Responds with the names of the services that sent spans, by trace.
  'portico-test-traces': `FROM node:26-bookworm-slim
CMD ["node", "-e", "const http = require('node:http'); const traces = {}; http.createServer((request, response) => { let text = ''; request.on('data', (part) => { text += part }); request.on('end', () => { for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) { const name = resource.attributes.find(({ key }) => key === 'service.name').value.stringValue; for (const { spans } of scopeSpans) for (const { traceId } of spans) (traces[traceId] ??= {})[name] = true } response.end('{}') }) }).listen(4318); http.createServer((_request, response) => response.end(JSON.stringify(traces))).listen(16686)"]
`,
}

let folder: TemporaryFolder
let stack: ComposeStack
let prometheus: string
let traces: string

beforeAll(async () => {
  folder = await makeFolder('observability')
  await copyApp(FIXTURE.appDir, folder.path)
  for (const [tag, dockerfile] of Object.entries(STAND_INS)) await buildStandIn(tag, dockerfile)
  const [prometheusPort, tracesPort] = [await freePort(), await freePort()]
  prometheus = `http://127.0.0.1:${prometheusPort}`
  traces = `http://127.0.0.1:${tracesPort}`
  stack = await startCompose({
    appDir: folder.path,
    files: ['docker-compose.yml', 'docker/compose.observability.yml'],
    settings: {
      ...{ PROMETHEUS_IMAGE: 'portico-test-prometheus', PROMETHEUS_PORT: String(prometheusPort) },
      ...{ JAEGER_IMAGE: 'portico-test-traces', JAEGER_PORT: String(tracesPort) },
    },
    up: ['--scale', 'images=2', 'gateway', 'prometheus', 'jaeger'],
  })
})
afterAll(async () => {
  await stack?.down()
  await folder?.remove()
})

/** The response of Prometheus' API. */
async function queryApi<T>(path: string): Promise<T> {
  const { status, text } = await send(prometheus, `/api/v1/${path}`)
  expect(status, text).toBe(200)
  return (JSON.parse(text) as { data: T }).data
}

interface Target {
  labels: { job: string }
  health: string
}

/** Requests every two seconds for three minutes, until the response is as wanted; resolves with the last response. */
async function until<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const value = await read()
    if (isWanted(value) || attempt === 90) return value
    await new Promise((done) => setTimeout(done, 2000))
  }
}

describe('compose with the monitoring tools', () => {
  test('O7 Prometheus finds every replica of every service by name', async () => {
    const wanted = ['actions', 'gateway', 'images', 'images', 'renderer']
    const jobsUp = async () => {
      const { activeTargets } = await queryApi<{ activeTargets: Target[] }>('targets')
      return activeTargets.flatMap(({ labels, health }) => (health === 'up' ? labels.job : [])).sort()
    }
    expect(await until(jobsUp, (jobs) => jobs.length >= wanted.length)).toEqual(wanted)
  })

  test('O7 every expression of rules and dashboard is taken, and those of traffic find some', async () => {
    const image = imageUrl('', '/pictures/sample.jpg', 640, 75)
    for (let round = 0; round < 25; round++) {
      await send(stack.baseUrl, '/about')
      await send(stack.baseUrl, image, { headers: { accept: 'image/webp' } })
      await send(stack.baseUrl, '/api/notes')
      await new Promise((done) => setTimeout(done, 1000))
    }
    const empty: string[] = []
    for (const { at, expression } of readExpressions()) {
      const { result } = await queryApi<{ result: unknown[] }>(`query?query=${encodeURIComponent(expression)}`)
      if (at.startsWith('panel') && result.length === 0) empty.push(at)
    }
    // Every replica reaches its cache, knows the marks, and has no proxy with certificates in front; the gateway is one
    // process, whose workers have no starts.
    expect(empty).toEqual(['panel Invalidation', 'panel Faults', 'panel Certificates', 'panel Starts'])
  })

  test('O7 all rules are loaded, and the alert of a service without replicas fires', async () => {
    const { groups } = await queryApi<{ groups: { rules: { name: string; health: string; state: string }[] }[] }>(
      'rules',
    )
    const rules = groups.flatMap((group) => group.rules)
    const names = readAlerts().map(({ alert }) => alert)
    expect(rules.map(({ name }) => name).sort()).toEqual(names.sort())
    expect(rules.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([])
    await stack.compose('stop', 'renderer')
    const alerts = () => queryApi<{ alerts: { labels: Record<string, string>; state: string }[] }>('alerts')
    const isFiring = ({ labels, state }: { labels: Record<string, string>; state: string }) =>
      state === 'firing' && labels.alertname === 'PorticoNoReplica' && labels.upstream === 'renderer'
    expect((await until(alerts, (value) => value.alerts.some(isFiring))).alerts.some(isFiring)).toBe(true)
    await stack.compose('start', 'renderer')
  })

  test('O7 a form is one trace of gateway, actions and renderer', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    const isBack = async () => (await send(stack.baseUrl, '/things/1')).status
    expect(await until(isBack, (status) => status === 200)).toBe(200)
    await postForm({ baseUrl: stack.baseUrl, path: '/things/1', fields: { text: 'traced' }, headers })
    const services = async () => {
      const sent = JSON.parse((await send(traces, '/')).text) as Record<string, Record<string, boolean>>
      return Object.keys(sent[traceId] ?? {}).sort()
    }
    const wanted = ['portico-actions', 'portico-gateway', 'portico-renderer']
    expect(await until(services, (names) => names.length === wanted.length)).toEqual(wanted)
  })
})
