import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { describe, expect, it } from 'vitest'
import { ConfigError, readCommon, readConfig } from '../config/config.ts'
import { parseTraceparent } from './trace-context.ts'

const tracingOf = (environment: Record<string, string>) => readConfig(environment, readCommon).tracing

describe('settings of tracing', () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
  ])('O7 %j turns tracing on: %s', (environment, isOn) => {
    expect(tracingOf(environment).isOn).toBe(isOn)
  })

  it('O7 reads the names of OpenTelemetry for the choice of traced requests', () => {
    expect(tracingOf({})).toMatchObject({ sampler: 'parentbased_always_on', sampledRatio: 1 })
    const given = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }
    expect(tracingOf(given)).toMatchObject({ sampler: 'traceidratio', sampledRatio: 0.25 })
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_EXPORTER', 'console'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ])('W5 refuses %s=%s', (name, value) => {
    expect(() => tracingOf({ [name]: value })).toThrow(ConfigError)
  })
})

describe('loading', () => {
  /** Packages of OpenTelemetry that a process loads for a service's listeners with these settings. */
  async function loadedWith(environment: Record<string, string>): Promise<string[]> {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = new Set()
      registerHooks({
        resolve(specifier, context, next) {
          const found = next(specifier, context)
          const name = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(found.url)?.[1]
          if (name) loaded.add(name)
          return found
        },
      })
      const folder = ${JSON.stringify(new URL('../', import.meta.url).href)}
      const { readCommon, readConfig } = await import(folder + 'config/config.ts')
      const { createLog } = await import(folder + 'observe/log.ts')
      await import(folder + 'observe/metrics.ts')
      await import(folder + 'life/serve.ts')
      const { isTracing, startTracing, stopTracing } = await import(folder + 'observe/tracing.ts')
      await startTracing('gateway', readConfig(process.env, readCommon), createLog('gateway', 'silent'))
      console.log(JSON.stringify([isTracing(), ...loaded]))
      await stopTracing(1000)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...bareEnvironment(), ...environment },
    })
    return JSON.parse(stdout) as string[]
  }

  it('O7 loads no SDK of OpenTelemetry unless the settings request it', async () => {
    // The metrics library loads the API, which does nothing without the SDK.
    expect(await loadedWith({})).toEqual([false, '@opentelemetry/api'])
    const loaded = await loadedWith({ OTEL_TRACES_EXPORTER: 'otlp' })
    expect(loaded).toEqual(expect.arrayContaining([true, '@opentelemetry/sdk-trace']))
  })
})

describe('trace context', () => {
  const ID = '4bf92f3577b34da6a3ce929d0e0e4736'
  const PARENT = '00f067aa0ba902b7'

  it.each([
    [`00-${ID}-${PARENT}-01`, '01'],
    [`00-${ID}-${PARENT}-00`, '00'],
    [`01-${ID}-${PARENT}-03-later`, '01'],
  ])('G7 reads %s', (header, flags) => {
    expect(parseTraceparent(header)).toEqual({ traceId: ID, parentId: PARENT, flags })
  })

  it.each([
    undefined,
    '',
    `ff-${ID}-${PARENT}-01`,
    `00-${ID}-${PARENT}-01-more`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${ID}-${'0'.repeat(16)}-01`,
    `00-${ID.toUpperCase()}-${PARENT}-01`,
  ])('G7 believes nothing of %s', (header) => {
    expect(parseTraceparent(header)).toBeUndefined()
  })
})
