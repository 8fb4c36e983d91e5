// A reporter of vitest for infra/test.mjs: writes counts, seconds of each file and the kinds of work to PORTICO_TEST_REPORT.

import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class TestReporter {
  /** Called by vitest when all files have run. */
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const files = modules.map((module) => {
      const states = [...module.children.allTests()].map((test) => test.result().state)
      for (const state of states) counts[state] = (counts[state] ?? 0) + 1
      // A file that cannot be loaded, or whose preparation fails, has no failed test.
      if (module.state() === 'failed' && !states.includes('failed')) counts.failed++
      const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
        module.diagnostic()
      const loadMs = environmentSetupDuration + prepareDuration + setupDuration + collectDuration
      return { name: relative(process.cwd(), module.moduleId), testMs: duration, loadMs }
    })
    counts.failed += errors.length
    writeFileSync(process.env.PORTICO_TEST_REPORT ?? '', JSON.stringify({ counts, files }))
  }
}
