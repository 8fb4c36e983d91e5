import { expect, test } from 'vitest'
import { describeViolation, evalRemedy } from '../testing.ts'

const OWN = 'https://site.example'
const POLICY = "default-src 'self'; script-src 'self'; style-src 'self'"

test.each([
  ['script-src-elem', 'https://js.example/a.js', POLICY, 'script-src', "['https://js.example']"],
  [
    'script-src-elem',
    'https://js.example/a.js',
    `${POLICY}; script-src-elem *`,
    'script-src-elem',
    "['https://js.example']",
  ],
  ['frame-src', 'https://video.example', POLICY, 'frame-src', "['https://video.example']"],
  ['connect-src', 'wss://live.example/x', POLICY, 'connect-src', "['wss://live.example']"],
  ['script-src', 'eval', POLICY, 'script-src', `["'unsafe-eval'"]`],
  ['script-src', 'wasm-eval', POLICY, 'script-src', `["'wasm-unsafe-eval'"]`],
  ['font-src', 'data', POLICY, 'font-src', "['data:']"],
  ['worker-src', 'blob:https://site.example/1', POLICY, 'worker-src', "['blob:']"],
  ['style-src-elem', 'inline', POLICY, 'style-src', `["'unsafe-inline'"]`],
])(
  'V2 names what %s blocked (%s) and the setting that allows it',
  (effectiveDirective, blocked, originalPolicy, directive, list) => {
    const text = describeViolation({ effectiveDirective, blocked, originalPolicy, disposition: 'enforce' }, OWN)
    expect(text).toContain(`The content security policy (${directive}) blocked `)
    const change = `{ directives: { '${directive}': ${list} } }`
    expect(text).toContain(`csp: ${change}, or for one page: csp: { routes: { '<page pattern>': ${change} } }`)
  },
)

test('V2 names the ways of an inline script, and what a policy that reports would block', () => {
  const inline = { effectiveDirective: 'script-src-elem', blocked: 'inline', originalPolicy: POLICY }
  expect(describeViolation({ ...inline, disposition: 'report' }, OWN)).toMatch(
    /would block an inline script\. Move the script to a file or to pages\/_document, .* useNonce\(\)/,
  )
  const handler = { effectiveDirective: 'script-src-attr', blocked: 'inline', originalPolicy: POLICY }
  expect(describeViolation({ ...handler, disposition: 'enforce' }, OWN)).toContain('an inline event handler')
})

test('V2 prints the hash of an inline script, ready to be allowed, before the other ways', () => {
  const inline = { effectiveDirective: 'script-src-elem', blocked: 'inline', originalPolicy: POLICY }
  const text = describeViolation({ ...inline, disposition: 'enforce' }, OWN, "'sha256-abc='")
  expect(text).toContain(`csp: { directives: { 'script-src': ["'sha256-abc='"] } }`)
  expect(text.indexOf('sha256')).toBeLessThan(text.indexOf('Move the script'))
})

test('V2 names options of libraries that make code of text before the policy', () => {
  const violation = { effectiveDirective: 'script-src', blocked: 'eval', originalPolicy: POLICY }
  const text = describeViolation({ ...violation, disposition: 'enforce' }, OWN)
  expect(text).toMatch(
    /z\.config\(\{ jitless: true \}\).* ajv .*code: \{ source: true, esm: true \}.*standaloneCode.*"'unsafe-eval'"/,
  )
  expect(text).toContain(evalRemedy())
})
