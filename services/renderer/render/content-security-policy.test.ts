import { expect, test } from 'vitest'
import { contentSecurityPolicy } from '../testing.ts'

const scripts = { nonce: 'n', scriptHashes: ["'sha256-a'"] }
const of = (directives: Record<string, string[]>) => contentSecurityPolicy({ directives, reportOnly: false }, scripts)

test("G6 nonce and hashes are added to the directives of scripts, except next to 'unsafe-inline' and 'none'", () => {
  const script = ["'self'"]
  const added = "script-src 'self' 'nonce-n' 'sha256-a'"
  expect(of({ 'default-src': ["'self'"], 'script-src': script })?.value).toBe(`default-src 'self'; ${added}`)
  expect(of({ 'script-src': script, 'script-src-elem': ['https:'] })?.value).toBe(
    `${added}; script-src-elem https: 'nonce-n' 'sha256-a'`,
  )
  expect(of({ 'script-src': script, 'script-src-elem': ["'unsafe-inline'"], 'script-src-attr': [] })?.value).toBe(
    `${added}; script-src-elem 'unsafe-inline'; script-src-attr`,
  )
  expect(of({ 'script-src': ["'none'"] })?.value).toBe("script-src 'none'")
  expect(script).toEqual(["'self'"])
  expect(contentSecurityPolicy(undefined, scripts)).toBeUndefined()
})
