// Compares the names that alert rules and the dashboard use with what services print at /metrics.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './sources.ts'

/** One printed metric: its name and the labels of a sample. */
export interface Series {
  name: string
  labels: readonly string[]
}

interface UsedExpression {
  /** File and panel or rule, for messages. */
  at: string
  expression: string
}

interface AlertRule {
  alert: string
  expr: string
  for?: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

/** Added by Prometheus to every sample that it reads. */
const SCRAPED_LABELS = ['job', 'instance']
/** Made by Prometheus itself. */
const PROMETHEUS_OWN: readonly Series[] = [{ name: 'up', labels: [] }]
/** Printed only where a setting (CERTIFICATE_CHECK, GATEWAY_WORKERS) turns them on; observability.test.ts reads `source` for them. */
export const OPTIONAL_SERIES: readonly (Series & { source: string })[] = [
  ...['read', 'not_before_seconds', 'not_after_seconds'].map((end) => ({
    name: `portico_certificate_${end}`,
    labels: ['name', 'service'],
    source: 'services/gateway/control/certificates.ts',
  })),
  {
    name: 'portico_gateway_worker_exits_total',
    labels: ['service'],
    source: 'services/gateway/primary.ts',
  },
]
const FOLDER = join(root, 'infra/observability')

/** Reads Prometheus' text format. */
export function readSeries(text: string): Series[] {
  return [...text.matchAll(/^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? \S+$/gim)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/([a-z_][a-z0-9_]*)="/gi)].map((match) => match[1] ?? ''),
  }))
}

/** All alert rules. */
export function readAlerts(): AlertRule[] {
  const { groups } = parse(readFileSync(join(FOLDER, 'rules.yml'), 'utf8')) as { groups: { rules: AlertRule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

interface RuleTest {
  alert_rule_test?: { alertname: string; exp_alerts?: unknown[] }[]
}

/** The alerts without an example in which they fire, or without one in which they are silent; a sentence each. */
export function faultsOfExamples(
  alerts: readonly Pick<AlertRule, 'alert'>[],
  text = readFileSync(join(FOLDER, 'rules.test.yml'), 'utf8'),
): string[] {
  const { tests } = parse(text) as { tests: RuleTest[] }
  const examples = tests.flatMap(({ alert_rule_test = [] }) => alert_rule_test)
  const has = (alert: string, fires: boolean) =>
    examples.some(({ alertname, exp_alerts = [] }) => alertname === alert && exp_alerts.length > 0 === fires)
  return alerts.flatMap(({ alert }) => [
    ...(has(alert, true) ? [] : [`${alert} fires in no example`]),
    ...(has(alert, false) ? [] : [`${alert} is silent in no example`]),
  ])
}

interface Panel {
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

/** The panels of the dashboard. */
export function readPanels(): Panel[] {
  const file = join(FOLDER, 'grafana/dashboards/portico.json')
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] }
  return panels
}

/** Every expression of rules and dashboard. */
export function readExpressions(): UsedExpression[] {
  const rules = readAlerts().map(({ alert, expr }) => ({ at: `rule ${alert}`, expression: expr }))
  const panels = readPanels().flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ at: `panel ${title}`, expression: expr })),
  )
  return [...rules, ...panels]
}

/** The names that are used and not printed, a sentence each. */
export function faultsOfNames(series: readonly Series[], expressions = readExpressions()): string[] {
  const printed = new Map<string, Set<string>>()
  for (const { name, labels } of [...PROMETHEUS_OWN, ...OPTIONAL_SERIES, ...series]) {
    const known = printed.get(name) ?? new Set(SCRAPED_LABELS)
    for (const label of labels) known.add(label)
    printed.set(name, known)
  }
  return expressions.flatMap(({ at, expression }) => {
    const faults: string[] = []
    const labelsOfAll = new Set<string>()
    for (const [, name = '', matchers = ''] of expression.matchAll(
      /\b((?:portico|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g,
    )) {
      const labels = printed.get(name)
      if (!labels) faults.push(`${at}: nothing prints ${name}`)
      for (const label of labels ?? []) labelsOfAll.add(label)
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
        if (labels && !labels.has(label)) faults.push(`${at}: ${name} has no label ${label}`)
    }
    for (const [, list = ''] of expression.matchAll(/\bby\s*\(([^)]*)\)/g))
      for (const label of list.split(',').map((item) => item.trim()))
        if (!labelsOfAll.has(label)) faults.push(`${at}: no metric of it has a label ${label}`)
    return faults
  })
}
