// Alert rules, dashboard and compose file of the monitoring tools (O7). Whether services print what they use is proven
// against a running stack in infra/e2e/behaviours/http/watching.integration.ts.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCompose } from './manifests.ts'
import {
  faultsOfExamples,
  faultsOfNames,
  OPTIONAL_SERIES,
  readAlerts,
  readExpressions,
  readPanels,
  readSeries,
} from './observability.ts'
import { root } from './sources.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions']
const FOLDER = join(root, 'infra/observability')

describe('alert rules', () => {
  test('O7 each alert names its severity, its symptom and where to look', () => {
    const alerts = readAlerts()
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
    for (const { alert, labels, annotations } of alerts) {
      expect(alert).toMatch(/^Portico[A-Z]\w+$/)
      expect(['page', 'ticket']).toContain(labels.severity)
      expect(Object.keys(annotations)).toEqual(['summary', 'description'])
    }
  })

  test('O7 a name or label that no service prints is found', () => {
    const series = readSeries('portico_things_total{kind="a",service="images"} 3\nportico_depth 1\n')
    expect(series).toEqual([
      { name: 'portico_things_total', labels: ['kind', 'service'] },
      { name: 'portico_depth', labels: [] },
    ])
    const faults = (expression: string) => faultsOfNames(series, [{ at: 'here', expression }])
    expect(faults('sum by (kind, instance) (rate(portico_things_total{kind=~"a|b"}[5m])) / portico_depth')).toEqual([])
    expect(faults('up{job="images"} == 0')).toEqual([])
    expect(faults('portico_thing_total')).toEqual(['here: nothing prints portico_thing_total'])
    expect(faults('portico_depth{kind="a"}')).toEqual(['here: portico_depth has no label kind'])
    expect(faults('max by (kind) (portico_depth)')).toEqual(['here: no metric of it has a label kind'])
  })
})

describe('examples of the alert rules', () => {
  test('O7 each alert fires in one example and is silent in one', () => {
    expect(faultsOfExamples(readAlerts())).toEqual([])
  })

  test('O7 an alert without either is found', () => {
    const text = `tests:
  - alert_rule_test:
      - { alertname: Both, exp_alerts: [{}] }
      - { alertname: Fires, exp_alerts: [{}] }
  - alert_rule_test:
      - { alertname: Both, exp_alerts: [] }
      - { alertname: Silent }
  - input_series: []
`
    const alerts = ['Both', 'Fires', 'Silent', 'None'].map((alert) => ({ alert }))
    expect(faultsOfExamples(alerts, text)).toEqual([
      'Fires is silent in no example',
      'Silent fires in no example',
      'None fires in no example',
      'None is silent in no example',
    ])
  })

  test('O7 the metrics that a setting turns on are in the source', () => {
    for (const { name, source } of OPTIONAL_SERIES)
      expect(readFileSync(join(root, source), 'utf8')).toContain(`'${name}'`)
  })
})

describe('promtool', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' })
    return { status, output: `${stdout}${stderr}` }
  }
  const isHere = promtool('--version').status === 0
  if (!isHere && process.env.PORTICO_TEST_REQUIRE?.includes('promtool'))
    throw new Error('PORTICO_TEST_REQUIRE names promtool, and there is none here')

  test.skipIf(!isHere)('O7 Prometheus takes the rules and its configuration', () => {
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', 'rules.yml')).toMatchObject({ status: 0 })
    expect(promtool('check', 'config', '--syntax-only', 'prometheus.yml')).toMatchObject({ status: 0 })
  })

  test.skipIf(!isHere)(
    'O7 each alert fires when it should and not before',
    () => {
      const { status, output } = promtool('test', 'rules', 'rules.test.yml')
      expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')])
      // Two hours of every rule are five seconds of a processor.
    },
    60_000,
  )
})

describe('dashboard', () => {
  const panels = readPanels()

  test('O7 every panel has an expression, a unit of place and does not cover another', () => {
    expect(readExpressions().length).toBeGreaterThan(30)
    const places = new Set<string>()
    for (const { type, title, targets = [], gridPos } of panels) {
      expect(targets.length > 0, title).toBe(type !== 'row')
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x, title).toBeLessThan(24)
          expect(places.has(`${x},${y}`), title).toBe(false)
          places.add(`${x},${y}`)
        }
    }
  })
})

describe('compose file of the monitoring tools', () => {
  const { services } = readCompose('docker/compose.observability.yml')

  test('O7 every service sends its traces to the store, and only the tools are published', () => {
    for (const name of SERVICES)
      expect(services[name]?.environment?.OTEL_EXPORTER_OTLP_ENDPOINT).toMatch(
        /^\$\{OTEL_EXPORTER_OTLP_ENDPOINT:-http:/,
      )
    for (const [name, { ports = [] }] of Object.entries(services))
      for (const port of ports) {
        expect(SERVICES).not.toContain(name)
        expect(String(port)).toMatch(/^127\.0\.0\.1:/)
      }
  })

  test('O7 every mounted file exists', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => String(volume).split(':')[0] ?? '').filter((path) => path.startsWith('./')),
    )
    expect(mounted.length).toBeGreaterThan(3)
    expect(mounted.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
