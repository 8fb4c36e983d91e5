// The types of actions, whose proof is the type check of this file, and the options that an action may not have.

import { type ComponentProps, useActionState } from 'react'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { InvalidInput } from '../data-types.ts'
import { defineAction } from './define-action.ts'

interface Transform<Input, Output> {
  '~standard': {
    version: 1
    vendor: 'portico-test'
    validate: (value: unknown) => { value: Output }
    types?: { input: Input; output: Output } | undefined
  }
}

/** A schema whose types differ on its two sides, as that of `z.object({ count: z.coerce.number() })`. */
function transform<Input, Output>(run: (value: unknown) => Output): Transform<Input, Output> {
  return { '~standard': { version: 1, vendor: 'portico-test', validate: (value) => ({ value: run(value) }) } }
}

describe('types of actions', () => {
  test('A3 a caller passes the input of a schema and the handler receives its output', () => {
    const input = v.object({
      quantity: v.pipe(v.string(), v.transform(Number)),
      note: v.optional(v.string(), ''),
    })
    const add = defineAction({ input }, (given) => {
      expectTypeOf(given).toEqualTypeOf<{ quantity: number; note: string }>()
      return given.quantity
    })
    expectTypeOf(add).toBeCallableWith({ quantity: '2' })
    expectTypeOf(add).toBeCallableWith(undefined, { quantity: '2', note: 'gift' })
    // @ts-expect-error the schema takes text; only the handler has a number
    void (() => add({ quantity: 2 }))
    // @ts-expect-error the schema requires the quantity
    void (() => add({ note: 'gift' }))
    // The value, or why the input was refused, or nothing after a redirect.
    const call = () => add({ quantity: '2' })
    expectTypeOf<Awaited<ReturnType<typeof call>>>().toEqualTypeOf<number | InvalidInput | undefined>()
  })

  test('A3 a schema that coerces takes unknown values from a caller', () => {
    const input = transform<{ count: unknown }, { count: number }>((value) => ({ count: Number(value) }))
    const order = defineAction({ input }, ({ count }) => {
      expectTypeOf(count).toEqualTypeOf<number>()
      return { count }
    })
    for (const count of ['3', 3, null]) void (() => order({ count }))
  })

  test('A3 a form, the state of a form and a bound state accept an action whose schema transforms', () => {
    const input = transform<{ day: string }, { day: Date }>(() => ({ day: new Date(0) }))
    const book = defineAction({ input }, ({ day }) => ({ year: day.getFullYear() }))
    const log = defineAction({ input }, ({ day }) => void day.getFullYear())
    expectTypeOf(log).toExtend<ComponentProps<'form'>['action']>()
    expectTypeOf(book).toExtend<ComponentProps<'form'>['action']>()
    const useBooking = () => useActionState(book, undefined)
    type State = ReturnType<typeof useBooking>
    expectTypeOf<State[0]>().toEqualTypeOf<{ year: number } | InvalidInput | undefined>()
    expectTypeOf<State[1]>().toEqualTypeOf<(payload: FormData | { day: string }) => void>()
    const bound = () => book.bind(null, undefined)
    expectTypeOf<Parameters<ReturnType<typeof bound>>>().toEqualTypeOf<[input: FormData | { day: string }]>()
  })

  test('A3 a schema without types and an action without a schema take and receive an object', () => {
    const untyped = {
      '~standard': { version: 1, vendor: 'portico-test', validate: (value: unknown) => ({ value }) },
    } as const
    const save = defineAction({ input: untyped }, (given) =>
      expectTypeOf(given).toEqualTypeOf<Record<string, unknown>>(),
    )
    const plain = defineAction({}, (given) => expectTypeOf(given).toEqualTypeOf<Record<string, unknown>>())
    expectTypeOf(save).toBeCallableWith({ anything: 1 })
    expectTypeOf(plain).toBeCallableWith({ anything: 1 })
  })
})

test.each([60_001, 0, 1.5, Number.POSITIVE_INFINITY])(
  'A7 an action with a time limit of %s ms is refused by name',
  (timeoutMs) => {
    expect(() => defineAction({ timeoutMs }, () => 1)).toThrow(
      `defineAction: timeoutMs=${timeoutMs} is not allowed; it must be a whole number, 1 to 60000: the gateway waits no longer for the beginning of a response`,
    )
    expect(defineAction({ timeoutMs: 60_000 }, () => 1)).toBeTypeOf('function')
  },
)
