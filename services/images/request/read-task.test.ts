import { expect, test } from 'vitest'
import { imageSettings } from '../testing/image-settings.ts'
import { createParamRules, createTaskReader } from './request.ts'

const settings = imageSettings()
const readTask = createTaskReader(settings, createParamRules(settings, ''))
const SEARCH = '?url=%2Fa.jpg&w=640&q=75'
const read = (search: string, accept?: string) => {
  const named = readTask(search, accept)
  if (named.kind === 'refused') throw new Error(`${named.parameter} ${named.rule}`)
  return named
}

test('I1 I2 a repeated request is the same task for every Accept header with the same format', () => {
  const webp = read(SEARCH, 'image/webp')
  expect(read(SEARCH, 'text/html, image/webp;q=0.9')).toBe(webp)
  expect(read(SEARCH, 'image/avif').task.key).not.toBe(webp.task.key)
  expect(read(SEARCH, '*/*').task.target).toBe('own')
  expect(read('?url=%2Fa.jpg&w=640', 'image/webp').task).toEqual(webp.task)
})

test('I7 wider variants of the same image are returned nearest first', () => {
  const widest = settings.deviceSizes.at(-1)!
  const [nearest] = read(SEARCH, 'image/webp').widerKeys()
  expect(nearest).toBe(read('?url=%2Fa.jpg&w=750&q=75', 'image/webp').task.key)
  expect(read(`?url=%2Fa.jpg&w=${widest}&q=75`).widerKeys()).toEqual([])
})

test('I1 an invalid query is refused each time, and a long query is parsed each time', () => {
  for (const _ of [1, 2]) expect(readTask('?url=%2Fa.jpg&w=641&q=75', undefined)).toMatchObject({ parameter: 'w' })
  const long = `?url=%2F${'a'.repeat(1000)}.jpg&w=640&q=75`
  expect(read(long)).not.toBe(read(long))
  expect(read(long)).toEqual({ ...read(long), widerKeys: expect.any(Function) })
})

test('I3 variants cached while SVG was allowed are not found after SVG is forbidden', () => {
  const allowing = imageSettings({ dangerouslyAllowSVG: true })
  const named = createTaskReader(allowing, createParamRules(allowing, ''))(SEARCH, undefined)
  expect(named).toMatchObject({ kind: 'task', task: { ...read(SEARCH).task, key: expect.any(String) } })
  expect(named).not.toMatchObject({ task: { key: read(SEARCH).task.key } })
})
