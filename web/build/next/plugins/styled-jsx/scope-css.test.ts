import { expect, test } from 'vitest'
import { scopeCss, splitPlaceholders, withPlaceholders } from './scope-css.ts'
import { scopeSelector } from './scope-selector.ts'

test.each([
  ['p', 'p.x'],
  ['*', '.x'],
  ['.a.b#c', '.a.b#c.x'],
  [':root', '.x:root'],
  ['::selection', '::selection'],
  ['p::before', 'p.x::before'],
  ['p + p~.a > b', 'p.x + p.x~.a.x > b.x'],
  [':is(p, .a b):hover', '.x:is(p, .a b):hover'],
  ['a[href="x > y:z"]:not(.v):hover', 'a[href="x > y:z"].x:not(.v):hover'],
  ['.md\\:flex:hover', '.md\\:flex.x:hover'],
  [':global(body) p', 'body p.x'],
  ['p :global(.a > .b:not(.c)) i', 'p.x .a > .b:not(.c) i.x'],
  ['div:global(.active)', 'div.active'],
  [':global(.a, .b) p', ':is(.a, .b) p.x'],
  [':global(.a, .b)', '.a, .b'],
  [':global(.a):hover .b', '.a:hover .b.x'],
  ['&:hover > p', '&:hover > p.x'],
  ['p:not(:global(.a, .b))', 'p:not(:is(.a, .b))'],
  ['.\\31 0 > p', '.\\31 0.x > p.x'],
  ['portico-value-0- .a-portico-value-1-', 'portico-value-0-.x .a-portico-value-1-.x'],
])('X12 limits the selector %j to the elements of a component: %j', (selector, expected) => {
  expect(scopeSelector(selector, '.x')).toBe(expected)
})

test('X12 leaves frames, fonts and nested conditions, and prefixes properties', () => {
  const css = `
    @font-face { font-family: f; src: url(f.woff) }
    @keyframes turn { from { top: 0 } 50% { top: 1px } }
    @media (min-width: 9px) { p { user-select: none } }
    .a { .b { color: red } @media print { top: 0 } }
  `
  expect(scopeCss(css, { className: 'x', minify: true })).toBe(
    '@font-face{font-family:f;src:url(f.woff)}@keyframes turn{0%{top:0}50%{top:1px}}' +
      '@media (width>=9px){p.x{-webkit-user-select:none;user-select:none}}' +
      '.a.x .b.x{color:red}@media print{.a.x{top:0}}',
  )
})

test('X12 rules of all elements have no class', () => {
  expect(scopeCss('body { margin: 0 }', { className: undefined, minify: true })).toBe('body{margin:0}')
})

test.each([
  ['a value', ['p{color:', ';width:', 'px}'], 'p.x{color:{0};width:{1}px}'],
  ['a selector and a property', ['', ' .a{', ':0}'], '{0}.x .a.x{{1}:0}'],
  ['a condition', ['@media (max-width:', 'px){p{top:0}}'], '@media (max-width:{0}px){p.x{top:0}}'],
  ['declarations', ['p{', ';top:0}'], 'p.x{{0};top:0}'],
  [
    'declarations and rules without a semicolon',
    ['p{\n', '\ntop:0}\n', '\nb{top:0}'],
    'p.x{\n{0}\ntop:0}\n{1}\nb.x{top:0}',
  ],
  ['a rule at the end', ['p{top:0}', ''], 'p.x{top:0}{0}'],
])('X12 values of the module may be %s', (_what, texts, expected) => {
  const { texts: around, values } = splitPlaceholders(
    scopeCss(withPlaceholders(texts), { className: 'x', minify: true }),
  )
  expect(around.map((text, index) => text + (values[index] === undefined ? '' : `{${values[index]}}`)).join('')).toBe(
    expected,
  )
})
