// A reporter of vitest for run-vitest.mjs: writes counts, seconds of each file, and the failed tests to
// PORTICO_TEST_REPORT.

import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class TestReporter {
  /** Called by vitest when all files have run. */
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const failures = []
    const files = modules.map((module) => {
      const name = relative(process.cwd(), module.moduleId)
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const { state, errors = [] } = test.result()
        counts[state] = (counts[state] ?? 0) + 1
        if (state === 'failed') failures.push({ name: `${name} > ${test.fullName}`, message: errors[0]?.message ?? '' })
      }
      // A file that cannot be loaded, or whose preparation fails, has no failed test.
      if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed')) {
        counts.failed++
        const [first] = [module, ...module.children.allSuites()].flatMap((part) => part.errors())
        failures.push({ name, message: first?.message ?? 'a hook of the file failed' })
      }
      const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
        module.diagnostic()
      const loadMs = environmentSetupDuration + prepareDuration + setupDuration + collectDuration
      return { name, testMs: duration, loadMs }
    })
    counts.failed += errors.length
    for (const { message } of errors) failures.push({ name: 'outside of a test', message })
    writeFileSync(process.env.PORTICO_TEST_REPORT ?? '', JSON.stringify({ counts, files, failures }))
  }
}
