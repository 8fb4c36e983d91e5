// A reporter of vitest for run.mjs: shows what is built and how far the run is, and each failure at once; writes the
// result of each test to CONFORMANCE_REPORT.

import { writeFileSync } from 'node:fs'
import type { UserConsoleLog } from 'vitest'
import type { ReportedHookContext, Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

/** One test, as run.mjs reads it. */
export interface Result {
  /** Begins with the id of the behaviour or with the name of the app. */
  name: string
  state: 'passed' | 'failed' | 'skipped'
  ms: number
  message: string
}

/** The shortest time between two lines about the progress. */
const LINE_MS = 5000
const MESSAGE_LINES = 6

export class ProgressReporter implements Reporter {
  #results: Result[] = []
  #total = 0
  #failed = 0
  #lastLine = Date.now()
  #started = new Map<string, number>()

  onTestModuleCollected(module: TestModule): void {
    this.#total += [...module.children.allTests()].length
  }

  onHookStart({ name, entity }: ReportedHookContext): void {
    if (name !== 'beforeAll' || entity.type !== 'suite') return
    this.#started.set(entity.id, Date.now())
    console.log(`${entity.name}: building and starting`)
  }

  onHookEnd({ name, entity }: ReportedHookContext): void {
    if (name !== 'beforeAll' || entity.type !== 'suite') return
    const seconds = (Date.now() - (this.#started.get(entity.id) ?? Date.now())) / 1000
    console.log(`${entity.name}: ready after ${seconds.toFixed(1)} s`)
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result()
    const message = errors[0]?.message ?? ''
    this.#results.push({
      name: test.name,
      state: state === 'passed' || state === 'failed' ? state : 'skipped',
      ms: test.diagnostic()?.duration ?? 0,
      message,
    })
    if (state === 'failed') {
      this.#failed++
      console.log(`FAILED ${test.name}\n${firstLines(message)}`)
    }
    const isLast = this.#results.length === this.#total
    if (!isLast && Date.now() - this.#lastLine < LINE_MS) return
    this.#lastLine = Date.now()
    console.log(`${this.#results.length} of ${this.#total} done, ${this.#failed} failed`)
  }

  onUserConsoleLog({ content }: UserConsoleLog): void {
    process.stdout.write(content)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    // A file that cannot be loaded has no failed test.
    const faults = [...modules.flatMap((module) => module.errors()), ...errors].map(({ message }) => message)
    for (const fault of faults) console.log(`FAILED outside of a test\n${firstLines(fault)}`)
    writeFileSync(process.env.CONFORMANCE_REPORT ?? '', JSON.stringify({ results: this.#results, faults }))
  }
}

function firstLines(text: string): string {
  const lines = text.split('\n').slice(0, MESSAGE_LINES)
  return lines.map((line) => `    ${line}`).join('\n')
}
