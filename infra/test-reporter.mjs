// A reporter of vitest for infra/test.mjs: writes counts, seconds of each file, and the tests that did not pass at their
// first run to PORTICO_TEST_REPORT.

import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class TestReporter {
  /** Called by vitest when all files have run. */
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const unsteady = []
    const files = modules.map((module) => {
      const name = relative(process.cwd(), module.moduleId)
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const { state, errors = [] } = test.result()
        const { flaky = false, retryCount = 0 } = test.diagnostic() ?? {}
        if (state !== 'failed' && !flaky) continue
        const message = errors[0]?.message ?? ''
        unsteady.push({ state, name: `${name} > ${test.fullName}`, message, runs: retryCount + 1 })
      }
      const states = tests.map((test) => test.result().state)
      for (const state of states) counts[state] = (counts[state] ?? 0) + 1
      // A file that cannot be loaded, or whose preparation fails, has no failed test.
      if (module.state() === 'failed' && !states.includes('failed')) counts.failed++
      const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
        module.diagnostic()
      const loadMs = environmentSetupDuration + prepareDuration + setupDuration + collectDuration
      return { name, testMs: duration, loadMs }
    })
    counts.failed += errors.length
    writeFileSync(process.env.PORTICO_TEST_REPORT ?? '', JSON.stringify({ counts, files, unsteady }))
  }
}
