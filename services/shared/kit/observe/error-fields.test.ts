// The members of an error in the log (E4).

import { describe, expect, it } from 'vitest'
import { errorFields } from './error-fields.ts'
import { createLog } from './log.ts'

/** An error with which ioredis rejects. */
function replyError(message: string): Error {
  const error = new Error(message)
  return Object.assign(error, { command: { name: 'set', args: ['key', 'canary'] }, previousErrors: ['canary'] })
}

const lineOf = (fields: object): string => {
  const lines: string[] = []
  createLog('test', 'info', { write: (line: string) => void lines.push(line) }).error(fields, 'failed')
  return lines.join('')
}

describe('an error in the log', () => {
  it('E4 has type, message, stack, code, and the name of a failed command without its arguments', () => {
    const error = Object.assign(replyError('READONLY'), { code: 'ECODE', errno: -1, syscall: 'connect' })
    expect(errorFields(error)).toEqual({
      type: 'Error',
      message: 'READONLY',
      stack: error.stack,
      code: 'ECODE',
      errno: -1,
      syscall: 'connect',
      command: 'set',
    })
  })

  it('F1 names what helps against the error of a native package, also where the error is a cause', () => {
    const cause = new Error('/site/node_modules/native/native.node: invalid ELF header')
    expect(errorFields(new Error('a page of the build cannot be loaded', { cause }))).toMatchObject({
      message: 'a page of the build cannot be loaded',
      remedy: expect.stringMatching(/^the package native: .* was built for another system;[^\n]*run:\ncd \/site && /),
    })
    expect(errorFields(new Error('boom'))).not.toHaveProperty('remedy')
  })

  it('E4 has its causes and the errors of an aggregate, each by the same rule', () => {
    const inner = new AggregateError([replyError('one'), 'text'], 'both')
    const text = lineOf({ error: new TypeError('outer', { cause: inner }) })
    const { error } = JSON.parse(text) as { error: Record<string, unknown> }
    expect(error).toMatchObject({
      type: 'TypeError',
      cause: { type: 'AggregateError', aggregateErrors: [{ message: 'one', command: 'set' }, 'text'] },
    })
    expect(text).not.toContain('canary')
  })

  it('E4 that is logged without a name is described by the same rule', () => {
    const text = lineOf(replyError('READONLY'))
    expect(JSON.parse(text)).toMatchObject({ err: { message: 'READONLY', command: 'set' } })
    expect(text).not.toContain('canary')
  })

  it('E4 does not repeat the arguments that Redis puts into its message', () => {
    const error = replyError("ERR unknown command 'set', with args beginning with: 'key' 'canary' ")
    const text = lineOf({ error: new Error('not kept', { cause: error }) })
    expect(text).toContain("ERR unknown command 'set'")
    expect(text).not.toContain('canary')
  })

  it.each([
    ['text', 'text'],
    [undefined, undefined],
    [7, 7],
    [{ secret: 'canary' }, { type: 'Object' }],
    [Object.create(null), { type: 'Object' }],
    [
      { message: 'm', code: { secret: 'canary' } },
      { type: 'Object', message: 'm' },
    ],
  ])('E4 of another kind, %j, is described, too', (thrown, expected) => {
    expect(errorFields(thrown)).toEqual(expected)
  })

  it('E4 that is its own cause ends', () => {
    const error = new Error('circle')
    error.cause = error
    expect(JSON.stringify(errorFields(error)).length).toBeLessThan(20_000)
  })
})
