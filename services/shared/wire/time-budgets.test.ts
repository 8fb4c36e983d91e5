import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type BudgetName, TIME_BUDGETS } from './time-budgets.ts'

const ROOT = new URL('../../../', import.meta.url)
// Object.entries forgets the names.
const BUDGETS = Object.entries(TIME_BUDGETS) as [BudgetName, (typeof TIME_BUDGETS)[BudgetName]][]
const NESTED = BUDGETS.flatMap(([name, { within = [] }]) =>
  within.map((outer): [BudgetName, BudgetName] => [name, outer]),
)
const seconds = (ms: number) => ms / 1000

describe('time budgets', () => {
  it.each(NESTED)('E7 %s ends before %s, also where all that precedes it took its whole time', (name, outer) => {
    const { limitMs, after = [] } = TIME_BUDGETS[name]
    const before = after.reduce((sum, each) => sum + TIME_BUDGETS[each].limitMs, 0)
    expect(before + limitMs).toBeLessThan(TIME_BUDGETS[outer].limitMs)
  })

  it.each(BUDGETS)(
    'E7 the code of %s has the limit of the table, and no second one',
    (_name, { code: [file, constant] }) => {
      const text = readFileSync(new URL(file, ROOT), 'utf8')
      const [imported = ''] = /import (?:type )?\{[^}]*\} from '[^']*\/constants\.ts'/.exec(text) ?? []
      expect(imported).toMatch(RegExp(`\\b${constant}\\b`))
      expect(text.replace(imported, '')).toMatch(RegExp(`\\b${constant}\\b`))
      expect(text).not.toMatch(RegExp(`const ${constant}\\b`))
    },
  )

  it('E7 I7 has the figures that are promised', () => {
    const of = (...names: BudgetName[]) => names.map((name) => seconds(TIME_BUDGETS[name].limitMs))
    expect(of('image-source', 'image-queued', 'image-encoded', 'image')).toEqual([5, 8, 11, 12])
    // The probes of a frozen replica are half a second apart.
    expect(of('given-up')[0]! + 0.5).toBeLessThan(7)
    expect(of('data-function', 'fetch', 'first-ready', 'frozen')).toEqual([10, 9.8, 3, 3])
  })
})
